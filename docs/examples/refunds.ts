import type { Countersign } from 'countersign';

/**
 * Proposes a refund and follows it to its end, which may be days away: a person may have to approve it first.
 * @returns what happened on the way, and the provider's id of the refund, or null where nothing was paid
 */
export async function refundAReturn(countersign: Countersign, paymentId: string, returnId: string) {
  const { runId } = await countersign.refunds.start(
    {
      paymentId,
      amount: { value: '49.00', currency: 'USD' },
      reason: 'damaged',
      orderId: 'ORDER-42',
      note: 'The cup came broken.',
    },
    // From your own records: sent again, also after your process has died, it is the same refund.
    { idempotencyKey: `return-${returnId}` },
  );
  const happened: string[] = [];
  // A connection that breaks is made again, and nothing is missed.
  for await (const { event } of countersign.refunds.watch(runId)) happened.push(event);
  const refund = await countersign.refunds.show(runId);
  return {
    runId,
    happened,
    refundId: refund.phase === 'completed' ? (refund.result?.refundId ?? null) : null,
  };
}

/** What was asked for above a hundred dollars since that moment, page after page. */
export async function largeRefundsSince(countersign: Countersign, from: string) {
  const found: string[] = [];
  for await (const { runId } of countersign.refunds.all({ currency: 'USD', minAmount: '100.00', from }))
    found.push(runId);
  return found;
}
