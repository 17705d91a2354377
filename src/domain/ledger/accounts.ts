/**
 * The accounts of one payment, in double entry: what the customer paid, what is left of it (captured), what is held
 * for refunds (reserved), what may have gone (unknown), what went back (refunded), and what is disputed.
 */
export const ledgerAccounts = [
  'customer',
  'captured',
  'reserved',
  'unknown',
  'refunded',
  'disputed',
] as const;
export type LedgerAccount = (typeof ledgerAccounts)[number];

/** Minor units by account; a movement adds up to nothing, and so do the balances. */
export type LedgerFigures = Readonly<Record<LedgerAccount, number>>;

/** What a movement is, from the accounts that it moves between; the words of a payment's history. */
export type MovementCause =
  | 'captured'
  | 'reserved'
  | 'released'
  | 'outcome_unknown'
  | 'refunded'
  | 'refund_reversed'
  | 'refunded_at_provider'
  | 'refund_at_provider_undone'
  | 'disputed'
  | 'dispute_undone'
  | 'provider_record';

/** @param byRun whether a refund run made it; otherwise it is the provider's own record, taken over */
export function causeOf(moved: LedgerFigures, byRun: boolean): MovementCause {
  if (!byRun) return providerCause(moved);
  if (moved.refunded > 0) return 'refunded';
  if (moved.refunded < 0) return 'refund_reversed';
  if (moved.unknown > 0) return 'outcome_unknown';
  return moved.reserved > 0 ? 'reserved' : 'released';
}

function providerCause({ customer, refunded, disputed }: LedgerFigures): MovementCause {
  const changed = [customer, refunded, disputed].filter((figure) => figure !== 0).length;
  if (changed !== 1) return 'provider_record';
  if (customer < 0) return 'captured';
  if (refunded !== 0) return refunded > 0 ? 'refunded_at_provider' : 'refund_at_provider_undone';
  if (disputed !== 0) return disputed > 0 ? 'disputed' : 'dispute_undone';
  return 'provider_record';
}
