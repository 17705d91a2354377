import { createHash } from 'node:crypto';
import { CountersignError } from '../domain/errors';
import { leftToRedelivery } from '../domain/outage';
import { toProviderAmount } from '../domain/money/providerAmounts';
import { checkAdmissible } from '../domain/refund/admission';
import { parseRefundRequest, type RefundBody, type RefundRequest } from '../domain/refund/request';
import type { RefundInput } from '../domain/refund/state';
import type { RefundFacts } from '../domain/policy/authorization';
import type { ProviderPayment } from '../ports/payments';
import type { Principal } from '../ports/people';
import type { Run } from '../ports/runs';
import { checkPermitted } from './authorize';
import { providerPatienceMs, type UseCases } from './dependencies';
import { refuseSensitive } from './freeText';

/**
 * Takes in one refund request. The run's id comes from tenant and caller key, the intake row is kept for good (R3),
 * and the amount is held in the same transaction, so what the door accepts can be paid.
 * @throws CountersignError of the door: schema, amounts, payment, forbidden, idempotency_conflict
 */
export async function requestRefund(
  useCases: UseCases,
  principal: Principal,
  idempotencyKey: string,
  body: RefundBody,
): Promise<Run> {
  const request = parseRefundRequest(body);
  // Known at the door: an amount that the provider could never move is asked of nobody.
  toProviderAmount(request.amount);
  refuseSensitive('note', body.note);
  for (const item of body.evidence ?? [])
    refuseSensitive('evidence', typeof item === 'string' ? item : Object.values(item).join(' '));
  const intake: Intake = {
    principal,
    idempotencyKey,
    runId: runIdOf(principal.tenant, idempotencyKey),
    fingerprint: fingerprintOf(request, body.note),
    request,
    note: body.note,
  };

  const known = await earlierUnderKey(useCases, intake);
  const payment = known?.same ? undefined : await paymentIfReachable(useCases, request.paymentId);
  await checkPermitted(
    useCases,
    { who: principal, action: 'propose', refund: proposalOf(intake) },
    'this identity may not propose refunds',
  );
  if (known) return sameOrConflict(known);
  const run = await takeIn(useCases, intake, payment);
  if (!run) return sameOrConflict((await earlierUnderKey(useCases, intake)) ?? fail());
  // Owed in the outbox too: a Temporal that does not answer now gets it later.
  await useCases.engine.start(inputOf(run), run.customer).catch(leftToRedelivery);
  return run;
}

interface Intake {
  readonly principal: Principal;
  readonly idempotencyKey: string;
  readonly runId: string;
  readonly fingerprint: string;
  readonly request: RefundRequest;
  readonly note: string | undefined;
}

function proposalOf({ principal, request }: Intake): RefundFacts {
  const { amount, reason, onBehalfOf = null } = request;
  return { tenant: principal.tenant, requester: principal.id, onBehalfOf, amount, request: { reason } };
}

interface Earlier {
  readonly run: Run;
  /** Whether it asked for the same. */
  readonly same: boolean;
}

/** The run of an earlier request under this key. @throws CountersignError dependency_unavailable */
async function earlierUnderKey(
  useCases: UseCases,
  { principal, idempotencyKey, fingerprint, request }: Intake,
): Promise<Earlier | undefined> {
  const found = await useCases.store.inTenant(principal.tenant, async (unit) => {
    const key = await unit.runs.byIdempotencyKey(idempotencyKey);
    const run = key && (await unit.runs.find(key.runId));
    return run && { run, fingerprint: key.fingerprint };
  });
  if (!found) return undefined;
  const { run } = found;
  return {
    run,
    same: found.fingerprint === fingerprint && (await samePayment(useCases, run, request.paymentId)),
  };
}

function sameOrConflict({ run, same }: Earlier): Run {
  if (!same) throw new CountersignError('idempotency_conflict', undefined, { runId: run.runId });
  return run;
}

/** `pi_…` and `ch_…` may name one payment, which the provider alone can tell. */
async function samePayment(useCases: UseCases, run: Run, paymentId: string): Promise<boolean> {
  if (paymentId === run.request.paymentId || paymentId === run.paymentId) return true;
  const payment = await paymentIfReachable(useCases, paymentId).catch(() => null);
  if (payment === undefined)
    throw new CountersignError('dependency_unavailable', 'the payment provider does not answer; try again');
  return payment?.paymentId === run.paymentId;
}

/** @returns undefined when the provider doesn't answer in time: the workflow then validates durably */
async function paymentIfReachable(
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

/** One transaction: key, run, balance, audit, and the start that is owed. @returns undefined when the key was taken meanwhile */
async function takeIn(
  { store }: UseCases,
  intake: Intake,
  payment: ProviderPayment | undefined,
): Promise<Run | undefined> {
  const { principal, runId, request, note } = intake;
  return store.inTenant(principal.tenant, async (unit) => {
    const customer = payment?.customer ?? request.customerId;
    const created = await unit.runs.create({
      runId,
      idempotencyKey: intake.idempotencyKey,
      fingerprint: intake.fingerprint,
      requester: principal.id,
      request,
      paymentId: payment?.paymentId ?? request.paymentId,
      ...(note === undefined ? {} : { note }),
      ...(customer === undefined ? {} : { customer }),
    });
    if (!created) return undefined;
    if (payment) {
      const balance = await unit.ledger.adopt(payment);
      const { document } = await unit.policies.newest();
      checkAdmissible(balance, request.amount, document.refundWindowHours, Date.now());
      await unit.ledger.reserve(runId, balance.paymentId, request.amount.minor);
    }
    await unit.outbox.owe({ runId, kind: 'start', ref: 'start' });
    await unit.audit.append({
      runId,
      actor: principal.id,
      event: 'requested',
      step: 'request',
      after: {
        amount: request.amount,
        paymentId: payment?.paymentId ?? request.paymentId,
        reason: request.reason,
        held: payment !== undefined,
      },
      ...(request.onBehalfOf === undefined ? {} : { reason: `on behalf of ${request.onBehalfOf}` }),
    });
    return unit.runs.find(runId);
  });
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
  };
}

function runIdOf(tenant: string, idempotencyKey: string): string {
  return `run_${createHash('sha256').update(`${tenant}\n${idempotencyKey}`).digest('hex').slice(0, 32)}`;
}

/** Of the parsed body, so that 49.0 is 49.00. The payment is compared apart, since it can have two names. */
function fingerprintOf(request: RefundRequest, note: string | undefined): string {
  const { paymentId: _compared, ...rest } = request;
  return createHash('sha256')
    .update(JSON.stringify(sorted({ ...rest, note })))
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

function fail(): never {
  throw new CountersignError('internal', 'the key was taken, but its run is not there');
}
