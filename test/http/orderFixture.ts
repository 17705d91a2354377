import { randomUUID } from 'node:crypto';
import type { ApprovalView } from '../../src/application/views';
import { approvalIdOf, type Answer } from '../support/api';
import { query } from '../support/database';
import type { TestStack } from '../support/stack';

/** Orders whose lines are refunded through the API; amounts in US dollars. */
export const usd = (value: string) => ({ value, currency: 'USD' });

export const newOrder = () => `order-${randomUUID()}`;

export const line = (quantity: number, bought = 3, total = '9.00') => ({
  lineId: 'sku-1',
  quantity,
  of: { quantity: bought, amount: usd(total) },
});

/** An order whose one line of three units cost 180.00, so that every refund of it asks a person. */
export async function order(stack: TestStack) {
  const paymentId = await stack.provider.charge(50_000);
  const id = newOrder();
  const ask = (units: number): Promise<Answer> =>
    stack
      .as('service')
      .startRefund({ paymentId, orderId: id, amount: `${units * 60}.00`, lines: [line(units, 3, '180.00')] });
  return { paymentId, id, ask };
}

/** A refund once it waits for people. */
export async function waiting(
  stack: TestStack,
  started: Answer,
): Promise<{ runId: string; approval: ApprovalView }> {
  expect([started.status, started.text]).toEqual([202, expect.any(String)]);
  const { runId } = started.body as { runId: string };
  await stack.as('service').untilPhase(runId, 'waiting_approval');
  return { runId, approval: await stack.as('service').approval(approvalIdOf(runId)) };
}

/** Minor units that the provider has paid back of a payment, refund by refund. */
export async function refundedAt(stack: TestStack, paymentId: string): Promise<number[]> {
  const refunds = await stack.provider.refunds(paymentId);
  return refunds.filter(({ status }) => status === 'succeeded').map(({ amount }) => amount);
}

/** Minor units that our books hold of each payment. */
export async function held(stack: TestStack, payments: readonly string[]): Promise<number[]> {
  const rows = await query<{ payment_id: string; reserved: string }>(
    stack.database.adminUrl,
    'select payment_id, reserved from payments where payment_id = any($1)',
    [payments],
  );
  return payments.map((id) => Number(rows.find((row) => row.payment_id === id)?.reserved ?? 0));
}

/** Requests that were taken in: the rows that nothing removes. */
export async function onRecord(stack: TestStack): Promise<number> {
  const [row] = await query<{ n: string }>(
    stack.database.adminUrl,
    `select (select count(*) from runs) + (select count(*) from refund_requests)
       + (select count(*) from refund_splits) + (select count(*) from refund_lines) as n`,
  );
  return Number(row?.n);
}
