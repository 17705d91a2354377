import { formatAmount } from '../money/decimal';
import type { Money } from '../money/money';
import { hasFailed, type ProviderRefund, type ProviderRefundStatus } from '../refund/providerRefund';
import type { OurRefund } from './books';
import type { FoundDifference } from './difference';

/** What our record of a call says once the provider's refund is in this status. */
const recordedAs: Readonly<Record<ProviderRefundStatus, OurRefund['state']>> = {
  succeeded: 'succeeded',
  pending: 'pending',
  requires_action: 'pending',
  failed: 'failed',
  canceled: 'failed',
};

/** Every refund that one side has of a payment and the other has not, or has otherwise. Refunds made by hand are the balance's. */
export function compareRefunds(
  ours: readonly OurRefund[],
  theirs: readonly ProviderRefund[],
): FoundDifference[] {
  const found = theirs.flatMap((refund) => {
    const known = ours.find(({ refundId }) => refundId === refund.id);
    const different = known ? compareKnown(known, refund) : unrecorded(ours, refund);
    return different ? [different] : [];
  });
  const listed = new Set(theirs.map(({ id }) => id));
  const missing = ours.flatMap((own) =>
    own.refundId === null || listed.has(own.refundId) ? [] : [missingThere(own, own.refundId)],
  );
  return [...found, ...missing];
}

function compareKnown(own: OurRefund, refund: ProviderRefund): FoundDifference | undefined {
  const { runId } = own;
  const refundId = refund.id;
  const sides = {
    refundId,
    runId,
    ours: { amount: own.amount, status: own.state },
    theirs: { amount: refund.amount, status: refund.status },
    adopted: false,
  };
  if (own.amount.minor !== refund.amount.minor || own.amount.currency !== refund.amount.currency)
    return {
      ...sides,
      kind: 'amount_differs',
      explanation: `Refund ${refundId} is ${text(refund.amount)} at the provider; run ${runId} has it on record with ${text(own.amount)}.`,
      news: false,
    };
  if (recordedAs[refund.status] === own.state) return undefined;
  return { ...sides, kind: 'status_differs', explanation: statusText(own, refund), news: true };
}

function statusText(own: OurRefund, refund: ProviderRefund): string {
  const { id, amount, status, failureReason } = refund;
  const why = failureReason === undefined ? '' : ` (${failureReason})`;
  if (own.state === 'succeeded' && recordedAs[status] === 'failed')
    return (
      `Refund ${id} of ${text(amount)} is paid in our books and ${status}${why} at the provider: the money did not stay ` +
      `with the customer. Run ${own.runId} is told, restores the balance and asks for a review.`
    );
  return (
    `Refund ${id} of ${text(amount)} is ${status}${why} at the provider and ${own.state} in our books. ` +
    `Run ${own.runId} is told to look there.`
  );
}

/** One that carries our run's id, and that no call on record here has made. One that failed moved nothing. */
function unrecorded(ours: readonly OurRefund[], refund: ProviderRefund): FoundDifference | undefined {
  const { id, runId, amount, status } = refund;
  if (runId === undefined || hasFailed(status)) return undefined;
  const call = ours.find(({ key }) => key === refund.key);
  return {
    kind: 'refund_unrecorded',
    refundId: id,
    runId,
    ours: call
      ? { amount: call.amount, status: call.state, ...(call.refundId ? { refund: call.refundId } : {}) }
      : null,
    theirs: { amount, status },
    explanation: `The provider has refund ${id} of ${text(amount)} (${status}) for run ${runId}, ${whatWeHave(call)}`,
    adopted: false,
    news: false,
  };
}

function whatWeHave(call: OurRefund | undefined): string {
  if (!call) return 'and no call of that run is on record here.';
  if (call.refundId !== null)
    return `which has refund ${call.refundId} on record: it may have been paid twice.`;
  if (call.state === 'refused' || call.state === 'failed')
    return `whose call is on record as ${call.state}: the customer has money that our books still have.`;
  return 'whose outcome is not known here yet. The run goes on asking with the same key; see what it waits for.';
}

function missingThere({ runId, amount, state }: OurRefund, refundId: string): FoundDifference {
  return {
    kind: 'refund_missing',
    refundId,
    runId,
    ours: { amount, status: state },
    theirs: null,
    explanation:
      `Run ${runId} has refund ${refundId} of ${text(amount)} on record as ${state}, and the provider lists no such ` +
      'refund of this payment.',
    adopted: false,
    news: false,
  };
}

const text = (amount: Money): string => `${formatAmount(amount)} ${amount.currency}`;
