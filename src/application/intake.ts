import { createHash } from 'node:crypto';
import { CountersignError } from '../domain/errors';
import { leftToRedelivery } from '../domain/outage';
import type { RefundBody, RefundRequest } from '../domain/refund/request';
import type { RefundInput } from '../domain/refund/state';
import type { ProviderPayment } from '../ports/payments';
import type { Principal } from '../ports/people';
import type { NewRun, Run } from '../ports/runs';
import type { Unit } from '../ports/store';
import { checkPermitted } from './authorize';
import { providerPatienceMs, type UseCases } from './dependencies';
import { refuseSensitive, refuseSensitiveIds } from './freeText';

/** What the doors that take refunds in have in common: one refund, and one of an order over several payments. */

type Screened = Partial<Omit<RefundBody, 'amount' | 'reason' | 'shipping'>> & {
  readonly payments?: readonly { readonly paymentId: string }[];
};

/** @throws CountersignError sensitive_text */
export function refuseSensitiveBody(idempotencyKey: string, body: Screened): void {
  const { note, evidence = [], payments = [], lines = [] } = body;
  const { paymentId, customerId, orderId, threadId, onBehalfOf } = body;
  refuseSensitive('note', note);
  refuseSensitiveIds({
    'Idempotency-Key': idempotencyKey,
    ...{ paymentId, customerId, orderId, threadId, onBehalfOf },
    ...Object.fromEntries(lines.map(({ lineId }, i) => [`lines.${i}.lineId`, unlessArticle(lineId)])),
    ...Object.fromEntries(payments.map((of, index) => [`payments.${index}.paymentId`, of.paymentId])),
  });
  for (const item of evidence)
    refuseSensitive('evidence', typeof item === 'string' ? item : Object.values(item).join(' '));
}

/** An article's number (GTIN) has 13 or 14 digits with a check digit, as some cards had: it is none. */
function unlessArticle(lineId: string): string | undefined {
  return /^\d{13,14}$/.test(lineId) ? undefined : lineId;
}

/** @throws CountersignError forbidden */
export async function refuseUnlessProposer(
  useCases: UseCases,
  principal: Principal,
  {
    amount,
    reason,
    onBehalfOf,
  }: Pick<RefundRequest, 'amount' | 'reason'> & { onBehalfOf?: string | undefined },
): Promise<void> {
  const { tenant, id: requester } = principal;
  const refund = { tenant, requester, onBehalfOf: onBehalfOf ?? null, amount, request: { reason } };
  const question = { who: principal, action: 'propose', refund } as const;
  await checkPermitted(useCases, question, 'this identity may not propose refunds');
}

/** @returns undefined when the provider doesn't answer in time */
export async function paymentIfReachable(
  { payments }: UseCases,
  paymentId: string,
): Promise<ProviderPayment | undefined> {
  try {
    return await payments.loadPayment(paymentId, providerPatienceMs);
  } catch (error) {
    if (error instanceof CountersignError && error.status < 500) throw error;
    return undefined;
  }
}

/** `pi_…` and `ch_…` may name one payment, which the provider alone can tell. */
export async function samePayment(
  useCases: UseCases,
  known: { readonly asked: string; readonly paymentId: string },
  paymentId: string,
): Promise<boolean> {
  if (paymentId === known.asked || paymentId === known.paymentId) return true;
  const payment = await paymentIfReachable(useCases, paymentId).catch(() => null);
  if (payment === undefined) throw providerAway();
  return payment?.paymentId === known.paymentId;
}

export function providerAway(): CountersignError {
  return new CountersignError('dependency_unavailable', 'the payment provider does not answer; try again');
}

/**
 * What a run that was just created begins with, in the same transaction: the amount and the lines that it holds, the
 * start that is owed, and its first audit row. `held`: its payment was read at the provider, and may bear the amount.
 */
export async function begin(unit: Unit, run: NewRun, held: boolean): Promise<Run | undefined> {
  const { runId, paymentId, request, splitId, batchId } = run;
  if (held) await unit.ledger.reserve(runId, paymentId, request.amount.minor);
  // The workflow of its batch starts a row itself.
  if (batchId === undefined) await unit.outbox.owe({ runId, kind: 'start', ref: 'start' });
  await unit.audit.append({
    runId,
    actor: run.requester,
    event: 'requested',
    step: 'request',
    after: {
      amount: request.amount,
      paymentId,
      reason: request.reason,
      held,
      ...(request.lines ? { lines: request.lines.map(({ lineId, quantity }) => [lineId, quantity]) } : {}),
      ...(request.shipping ? { shipping: request.shipping.amount } : {}),
      ...(splitId === undefined ? {} : { splitId }),
      ...(batchId === undefined ? {} : { batchId }),
    },
    ...(request.onBehalfOf === undefined ? {} : { onBehalfOf: request.onBehalfOf }),
  });
  return unit.runs.find(runId);
}

/** Owed in the outbox too: a Temporal that does not answer now gets it later. */
export async function startIfReachable({ engine }: UseCases, run: Run): Promise<void> {
  await engine.start(inputOf(run), run.customer).catch(leftToRedelivery);
}

export function inputOf(run: Run): RefundInput {
  const { amount, reason } = run.request;
  return {
    tenant: run.tenant,
    runId: run.runId,
    paymentId: run.paymentId,
    arguments: { amount, reason },
    requester: run.requester,
    ...(run.onBehalfOf === null ? {} : { onBehalfOf: run.onBehalfOf }),
    ...(run.batchId === null ? {} : { batchId: run.batchId }),
  };
}

/** Derived from tenant and caller's key, so that a repeat gives the same id. */
export function idFrom(
  prefix: 'run' | 'spl' | 'thr' | 'bat' | 'ing' | 'agr',
  tenant: string,
  key: string,
): string {
  return `${prefix}_${createHash('sha256').update(`${tenant}\n${key}`).digest('hex').slice(0, 32)}`;
}

/** Of a parsed body, so that 49.0 is 49.00, whatever the order of its members. */
export function fingerprintOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  );
}
