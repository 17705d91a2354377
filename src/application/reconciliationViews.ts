import { ledgerAccounts, causeOf, type LedgerFigures } from '../domain/ledger/accounts';
import { formatSigned } from '../domain/money/signed';
import type { Figures } from '../domain/reconciliation/difference';
import type { LedgerMovement } from '../ports/paymentBooks';
import type { Difference, Reconciliation } from '../ports/reconciliations';

/** What doors show of reconciliations and of a payment's history: signed decimal strings, times as ISO 8601 in UTC. */
export type ReconciliationView = ReturnType<typeof reconciliationView>;
export type DifferenceView = ReturnType<typeof differenceView>;
export type MovementView = ReturnType<typeof movementView>;

export function reconciliationView(reconciliation: Reconciliation) {
  const { id, state, requestedBy, pages, compared, inFlight, differences, errorCode } = reconciliation;
  return {
    id,
    state,
    requestedBy,
    window: { from: iso(reconciliation.from), to: iso(reconciliation.to) },
    pages,
    compared,
    inFlight,
    differences,
    errorCode,
    startedAt: iso(reconciliation.startedAt),
    finishedAt: reconciliation.finishedAt === null ? null : iso(reconciliation.finishedAt),
  };
}

export function differenceView(difference: Difference) {
  const { id, kind, status, paymentId, refundId, runId, reconciliationId, explanation } = difference;
  return {
    id,
    kind,
    status,
    paymentId,
    refundId,
    runId,
    reconciliationId,
    ours: difference.ours && figuresView(difference.ours),
    theirs: difference.theirs && figuresView(difference.theirs),
    explanation,
    firstSeenAt: iso(difference.firstSeenAt),
    lastSeenAt: iso(difference.lastSeenAt),
    resolvedAt: difference.resolvedAt === null ? null : iso(difference.resolvedAt),
    dismissedBy: difference.dismissedBy,
    comment: difference.comment,
  };
}

/**
 * `actor` and `cause` are those of the audit row that was written in the same transaction; a movement without one is
 * told from the accounts that it moved between, and comes from the run that is named or from the provider's record.
 */
export function movementView(movement: LedgerMovement) {
  const { seq, runId, requester, currency, moved, balances, audit } = movement;
  const text = (minor: number) => formatSigned({ minor, currency });
  return {
    seq,
    at: iso(movement.at),
    runId,
    requester,
    cause: causeOf(moved, runId !== null),
    event: audit?.event ?? null,
    actor: audit?.actor ?? (runId === null ? 'provider' : 'countersign'),
    reason: audit?.reason ?? null,
    refundId: audit?.providerId ?? null,
    currency,
    movements: ledgerAccounts
      .filter((account) => moved[account] !== 0)
      .map((account) => ({ account, value: text(moved[account]) })),
    balances: balancesView(balances, text),
  };
}

function balancesView(
  { customer, captured, reserved, unknown, refunded, disputed }: LedgerFigures,
  text: (minor: number) => string,
) {
  return {
    customer: text(customer),
    captured: text(captured),
    reserved: text(reserved),
    unknown: text(unknown),
    refunded: text(refunded),
    disputed: text(disputed),
  };
}

/** Each figure as a text: an amount with its currency, or a word such as a status. */
function figuresView(figures: Figures): Record<string, string> {
  return Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [
      name,
      typeof figure === 'string' ? figure : `${formatSigned(figure)} ${figure.currency}`,
    ]),
  );
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
