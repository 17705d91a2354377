import type { LedgerFigures } from '../ledger/accounts';
import type { Money } from '../money/money';
import type { ProviderRefund } from '../refund/providerRefund';

/** A call of ours that was to move money, and the run that it belongs to. */
export interface OurRefund {
  readonly runId: string;
  readonly key: string;
  readonly state: 'sent' | 'unknown' | 'succeeded' | 'pending' | 'failed' | 'refused';
  /** The provider's id, once it is known. */
  readonly refundId: string | null;
  readonly amount: Money;
}

/** What our books say of one payment; minor units. */
export interface OurBooks {
  readonly currency: string;
  readonly captured: number;
  readonly disputed: number;
  /** By our runs. */
  readonly refunded: number;
  readonly refundedElsewhere: number;
  readonly reserved: number;
  readonly unknown: number;
  /** When the provider's record was taken over last, ms since the epoch. */
  readonly readAt: number;
  /** The ledger's entries, added up. */
  readonly entries: LedgerFigures;
  /** What the runs of this payment say that they hold or have paid. */
  readonly runs: { readonly reserved: number; readonly unknown: number; readonly paid: number };
}

/** What the provider says of one payment: totals in minor units, and every refund. */
export interface TheirBooks {
  readonly captured: number;
  readonly disputed: number;
  readonly refundedElsewhere: number;
  readonly refunds: readonly ProviderRefund[];
}
