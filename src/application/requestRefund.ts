import { CountersignError } from '../domain/errors';
import { toProviderAmount } from '../domain/money/providerAmounts';
import { checkAdmissible } from '../domain/refund/admission';
import type { Money } from '../domain/money/money';
import {
  parseRefundRequest,
  type ForkedFrom,
  type RefundBody,
  type RefundRequest,
} from '../domain/refund/request';
import type { ProviderPayment } from '../ports/payments';
import type { Principal } from '../ports/people';
import type { NewRun, Run } from '../ports/runs';
import type { Unit } from '../ports/store';
import type { UseCases } from './dependencies';
import {
  begin,
  fingerprintOf,
  idFrom,
  paymentIfReachable,
  refuseSensitiveBody,
  refuseUnlessProposer,
  samePayment,
  startIfReachable,
} from './intake';
import { humanBehind } from './onBehalfOf';
import { checkThreadOfRefund } from './threads';

/** Where a request comes from that somebody has forked from another run. */
export interface Fork {
  readonly forkedFrom: ForkedFrom;
  /** Who has asked for this money before, given what is asked for now. */
  readonly askedBefore: (amount: Money) => readonly string[];
  /** What the caller sent: the same key with the same of it is the same run. */
  readonly asked: { readonly forkOf: string; readonly amount?: RefundBody['amount'] | undefined };
}

/** What stands behind a request besides whoever sends it. */
export interface Origin {
  readonly fork?: Fork;
  /** Refuses it where what it rests on is gone, in the transaction that takes it in. */
  readonly held?: (unit: Unit) => Promise<void>;
}

/**
 * Takes in one refund request. The run's id comes from tenant and caller key, the intake row is kept for good (R3),
 * and the amount is held in the same transaction, so what the door accepts can be paid.
 * @throws CountersignError of the door: schema, amounts, payment, lines, thread, forbidden, idempotency_conflict
 */
export async function requestRefund(
  useCases: UseCases,
  principal: Principal,
  idempotencyKey: string,
  body: RefundBody,
  { fork, held }: Origin = {},
): Promise<Run> {
  const request = parseRefundRequest(body);
  // Known at the door: an amount that the provider could never move is asked of nobody.
  toProviderAmount(request.amount);
  refuseSensitiveBody(idempotencyKey, body);
  const intake: Intake = {
    principal,
    idempotencyKey,
    runId: idFrom('run', principal.tenant, idempotencyKey),
    fingerprint: fingerprintOf(comparable(request, body, fork)),
    // As it was written: the same body is the same fingerprint, whoever is registered meanwhile.
    request: {
      ...request,
      ...(await humanBehind(useCases, principal.tenant, body.onBehalfOf)),
      ...(fork ? { forkedFrom: fork.forkedFrom, askedBy: fork.askedBefore(request.amount) } : {}),
    },
    note: body.note,
  };

  const known = await earlierUnderKey(useCases, intake);
  const payment = known?.same ? undefined : await paymentIfReachable(useCases, request.paymentId);
  if (!known?.same) await checkThreadOfRefund(useCases, principal, intake.request);
  await refuseUnlessProposer(useCases, principal, intake.request);
  if (known) return sameOrConflict(known);
  const run = await takeIn(useCases, intake, payment, held);
  if (!run) return sameOrConflict((await earlierUnderKey(useCases, intake)) ?? fail());
  await startIfReachable(useCases, run);
  return run;
}

/** What makes two requests under one key the same. The payment is compared apart, since it can have two names. */
function comparable({ paymentId: _apart, ...request }: RefundRequest, { note }: RefundBody, fork?: Fork) {
  if (!fork) return { ...request, note };
  const { asked } = fork;
  return { ...asked, ...(asked.amount ? { amount: request.amount } : {}) };
}

interface Intake {
  readonly principal: Principal;
  readonly idempotencyKey: string;
  readonly runId: string;
  readonly fingerprint: string;
  readonly request: RefundRequest;
  readonly note: string | undefined;
}

interface Earlier {
  /** What has the key: a run, or the refund of an order over several payments. */
  readonly id: { readonly runId: string } | { readonly splitId: string };
  readonly run?: Run;
  /** Whether it asked for the same. */
  readonly same: boolean;
}

/** What an earlier request under this key asked for. @throws CountersignError dependency_unavailable */
async function earlierUnderKey(
  useCases: UseCases,
  { principal, idempotencyKey, fingerprint, request }: Intake,
): Promise<Earlier | undefined> {
  const found = await useCases.store.inTenant(principal.tenant, async (unit) => {
    const key = await unit.runs.byIdempotencyKey(idempotencyKey);
    return key && { key, run: await unit.runs.find(key.runId) };
  });
  if (!found) return undefined;
  const { key, run } = found;
  if (!run) return { id: { splitId: key.runId }, same: false };
  const named = { asked: run.request.paymentId, paymentId: run.paymentId };
  return {
    id: { runId: run.runId },
    run,
    same: key.fingerprint === fingerprint && (await samePayment(useCases, named, request.paymentId)),
  };
}

function sameOrConflict({ id, run, same }: Earlier): Run {
  if (!run || !same) throw new CountersignError('idempotency_conflict', undefined, id);
  return run;
}

/** One transaction. @returns undefined when the key was taken meanwhile */
async function takeIn(
  { store }: UseCases,
  { principal, idempotencyKey, runId, fingerprint, request, note }: Intake,
  payment: ProviderPayment | undefined,
  held: Origin['held'],
): Promise<Run | undefined> {
  return store.inTenant(principal.tenant, async (unit) => {
    await held?.(unit);
    const customer = payment?.customer ?? request.customerId;
    const run = {
      runId,
      idempotencyKey,
      fingerprint,
      requester: principal.id,
      request,
      paymentId: payment?.paymentId ?? request.paymentId,
      ...(note === undefined ? {} : { note }),
      ...(customer === undefined ? {} : { customer }),
    };
    if (!(await unit.runs.create(run))) return undefined;
    if (payment) {
      const balance = await unit.ledger.adopt(payment);
      const { document } = await unit.policies.newest();
      checkAdmissible(
        { ...balance, voided: payment.voided },
        request.amount,
        document.refundWindowHours,
        Date.now(),
      );
    }
    const begun = await begin(unit, run, payment !== undefined);
    await recordFork(unit, run);
    return begun;
  });
}

/** On both audit logs, each naming the other run. */
async function recordFork(
  { audit }: Unit,
  { runId, requester: actor, request: { forkedFrom } }: NewRun,
): Promise<void> {
  if (!forkedFrom) return;
  const { runId: origin, seq } = forkedFrom;
  await audit.append({ runId, actor, event: 'forked_from', step: 'fork', after: forkedFrom });
  await audit.append({ runId: origin, actor, event: 'forked', step: `fork:${runId}`, after: { runId, seq } });
}

function fail(): never {
  throw new CountersignError('internal', 'the key was taken, but its run is not there');
}
