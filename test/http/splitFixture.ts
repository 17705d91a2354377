import { randomUUID } from 'node:crypto';
import type { Answer, ApiCaller } from '../support/api';
import type { TestStack } from '../support/stack';
import { usd } from './orderFixture';

export function charges(stack: TestStack, ...amounts: number[]): Promise<string[]> {
  return Promise.all(amounts.map((amount) => stack.provider.charge(amount)));
}

interface Asking {
  readonly key?: string;
  readonly who?: ApiCaller;
  readonly [field: string]: unknown;
}

/** Asks for the refund of an order over these payments, as the service unless `who` says otherwise. */
export function split(
  stack: TestStack,
  payments: readonly string[],
  value: string,
  { key = randomUUID(), who = stack.as('service'), ...more }: Asking = {},
): Promise<Answer> {
  const body = {
    orderId: 'order-7',
    amount: usd(value),
    reason: 'damaged',
    payments: payments.map((paymentId) => ({ paymentId })),
    ...more,
  };
  return who.call('POST', '/v1/refunds/split', body, { 'idempotency-key': key });
}

/** `[payment, amount]` of every part. */
export const partsOf = ({ body }: Answer) =>
  (body.refunds as { paymentId: string; amount: { value: string } }[]).map(({ paymentId, amount }) => [
    paymentId,
    amount.value,
  ]);

export const runsOf = ({ body }: Answer) => (body.refunds as { runId: string }[]).map(({ runId }) => runId);

/** The other name of the same payment. */
export async function intentOf(stack: TestStack, charge: string): Promise<string> {
  return (await stack.provider.stripe.charges.retrieve(charge)).payment_intent as string;
}
