import { CountersignError } from '../domain/errors';
import { parseAmount } from '../domain/money/decimal';
import type { Money } from '../domain/money/money';
import { toProviderAmount } from '../domain/money/providerAmounts';
import { checkAdmissible } from '../domain/refund/admission';
import { refuseUnlessPermitted } from '../domain/policy/authorization';
import { splitOver, type SplitBody } from '../domain/refund/split';
import type { Balance } from '../ports/ledger';
import type { ProviderPayment } from '../ports/payments';
import type { Principal } from '../ports/people';
import type { NewRun, Run } from '../ports/runs';
import type { NewSplit, Split } from '../ports/splits';
import type { Unit } from '../ports/store';
import { notToBeSeen } from './authorize';
import type { UseCases } from './dependencies';
import {
  begin,
  fingerprintOf,
  idFrom,
  paymentIfReachable,
  providerAway,
  refuseSensitiveBody,
  refuseUnlessProposer,
  samePayment,
  startIfReachable,
} from './intake';
import { humanBehind } from './onBehalfOf';
import { checkThreadOfRefund } from './threads';
import { splitView, type SplitView } from './views';

/**
 * Refunds an order over several of its payments: one run for each payment that has a part, all of them taken in by one
 * transaction or none. A repeat under the same key gives the same runs (R3). What can't be read at the provider now
 * is not taken in, since nobody could say what each payment can bear.
 * @throws CountersignError of the door: schema, amounts, payments, forbidden, idempotency_conflict,
 * dependency_unavailable
 */
export async function splitRefund(
  useCases: UseCases,
  principal: Principal,
  idempotencyKey: string,
  body: SplitBody,
): Promise<SplitView> {
  const amount = parseAmount(body.amount.value, body.amount.currency, { allowWithdrawn: true });
  toProviderAmount(amount);
  refuseSensitiveBody(idempotencyKey, body);
  const { payments: asked, amount: _parsed, ...rest } = body;
  const names = asked.map(({ paymentId }) => paymentId);
  const request: Request = {
    principal,
    idempotencyKey,
    fingerprint: fingerprintOf({ ...rest, amount, payments: names.length }),
    amount,
    body: { ...body, ...(await humanBehind(useCases, principal.tenant, body.onBehalfOf)) },
    names,
  };
  const known = await earlierUnderKey(useCases, request);
  const payments = known?.same ? [] : await readAll(useCases, names);
  if (!known?.same) await checkThreadOfRefund(useCases, principal, request.body);
  await refuseUnlessProposer(useCases, principal, { ...request.body, amount });
  if (known) return sameOrConflict(known);
  const runs = await takeIn(useCases, request, payments);
  if (runs) await Promise.all(runs.map((run) => startIfReachable(useCases, run)));
  const taken = await earlierUnderKey(useCases, request);
  if (!taken) throw new CountersignError('internal', 'the key was taken, but its split is not there');
  return sameOrConflict(taken);
}

/** @throws CountersignError not_found, also for another tenant's (R38); forbidden */
export async function showSplit(
  { store, authorization }: UseCases,
  principal: Principal,
  splitId: string,
): Promise<SplitView> {
  return store.inTenant(principal.tenant, async (unit) => {
    const split = await unit.splits.find(splitId);
    if (!split) throw new CountersignError('not_found');
    const runs = await unit.runs.ofSplit(splitId);
    const ask = authorization.under(await unit.policies.newest());
    for (const refund of runs)
      refuseUnlessPermitted(ask({ who: principal, action: 'view', refund }), notToBeSeen);
    return splitView(split, runs);
  });
}

interface Request {
  readonly principal: Principal;
  readonly idempotencyKey: string;
  readonly fingerprint: string;
  readonly amount: Money;
  readonly body: SplitBody;
  /** The payments as the caller names them. */
  readonly names: readonly string[];
}

interface Earlier {
  /** What has the key: a split, or a refund of one payment. */
  readonly id: { readonly splitId: string } | { readonly runId: string };
  readonly view?: SplitView;
  readonly same: boolean;
}

async function earlierUnderKey(
  useCases: UseCases,
  { principal, idempotencyKey, fingerprint, names }: Request,
): Promise<Earlier | undefined> {
  const found = await useCases.store.inTenant(principal.tenant, async (unit) => {
    const key = await unit.runs.byIdempotencyKey(idempotencyKey);
    if (!key) return undefined;
    const split = await unit.splits.find(key.runId);
    return { key, split, runs: split ? await unit.runs.ofSplit(split.splitId) : [] };
  });
  if (!found) return undefined;
  const { key, split, runs } = found;
  if (!split) return { id: { runId: key.runId }, same: false };
  return {
    id: { splitId: split.splitId },
    view: splitView(split, runs),
    same: key.fingerprint === fingerprint && (await samePayments(useCases, split, names)),
  };
}

async function samePayments(
  useCases: UseCases,
  { payments }: Split,
  names: readonly string[],
): Promise<boolean> {
  const same = await Promise.all(
    payments.map((known, index) => samePayment(useCases, known, names[index] ?? '')),
  );
  return same.every((one) => one);
}

function sameOrConflict({ id, view, same }: Earlier): SplitView {
  if (!view || !same) throw new CountersignError('idempotency_conflict', undefined, id);
  return view;
}

/** @throws CountersignError payment_unknown, invalid_request, dependency_unavailable */
async function readAll(useCases: UseCases, names: readonly string[]): Promise<ProviderPayment[]> {
  const payments = await Promise.all(
    names.map((name, index) => of(index, async () => (await paymentIfReachable(useCases, name)) ?? away())),
  );
  for (const [index, { paymentId }] of payments.entries()) {
    const first = payments.findIndex((other) => other.paymentId === paymentId);
    if (first === index) continue;
    const message = `names the same payment as payments.${first}`;
    const path = `payments.${index}.paymentId`;
    throw new CountersignError('invalid_request', `${path}: ${message}`, { issues: [{ path, message }] });
  }
  return payments;
}

function away(): never {
  throw providerAway();
}

/** One transaction for all parts. @returns undefined when the key was taken meanwhile */
async function takeIn(
  { store }: UseCases,
  request: Request,
  payments: readonly ProviderPayment[],
): Promise<Run[] | undefined> {
  const { principal, amount, body } = request;
  return store.inTenant(principal.tenant, async (unit) => {
    const split = splitOf(request, payments);
    if (!(await unit.splits.create(split))) return undefined;
    const balances = await adoptAll(unit, payments, amount);
    const parts = splitOver(amount, balances, body.allocation);
    const runs: Run[] = [];
    for (const [index, part] of parts.entries()) {
      const balance = balances[index];
      if (!balance || part.minor === 0) continue;
      const run = partOf(request, split, balance, part);
      await unit.runs.create(run);
      const begun = await begin(unit, run, true);
      if (begun) runs.push(begun);
    }
    return runs;
  });
}

/**
 * The balance of each payment, locked until the transaction ends and in one order for everybody, so that two splits
 * over the same payments wait for each other once.
 */
async function adoptAll(unit: Unit, payments: readonly ProviderPayment[], amount: Money): Promise<Balance[]> {
  const { document } = await unit.policies.newest();
  const now = Date.now();
  const adopted = new Map<number, Balance>();
  const byId = [...payments.entries()].sort(([, a], [, b]) => (a.paymentId < b.paymentId ? -1 : 1));
  for (const [index, payment] of byId) {
    adopted.set(
      index,
      await of(index, async () => {
        const balance = await unit.ledger.adopt(payment);
        const state = { ...balance, voided: payment.voided };
        checkAdmissible(state, amount, document.refundWindowHours, now);
        return balance;
      }),
    );
  }
  return payments.flatMap((_, index) => adopted.get(index) ?? []);
}

/** Says which payment of the list it is that a refusal is about. */
async function of<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CountersignError) || error.status !== 422) throw error;
    const path = `payments.${index}.paymentId`;
    throw new CountersignError(error.code, `${path}: ${error.detail}`, {
      ...error.details,
      issues: [{ path, message: error.detail }],
    });
  }
}

function splitOf(
  { principal, idempotencyKey, fingerprint, amount, body, names }: Request,
  payments: readonly ProviderPayment[],
): NewSplit {
  return {
    splitId: idFrom('spl', principal.tenant, idempotencyKey),
    idempotencyKey,
    fingerprint,
    requester: principal.id,
    orderId: body.orderId,
    amount,
    reason: body.reason,
    allocation: body.allocation,
    payments: payments.map(({ paymentId }, index) => ({ asked: names[index] ?? paymentId, paymentId })),
  };
}

/** One payment's part, as if it had been asked for by itself. No caller's key has a space, so none is the part's. */
function partOf(
  { principal, body }: Request,
  { splitId, fingerprint }: NewSplit,
  { paymentId, customer }: Balance,
  amount: Money,
): NewRun {
  const { note, allocation: _ours, payments: _each, amount: _whole, ...shared } = body;
  const idempotencyKey = `${splitId} ${paymentId}`;
  const known = customer ?? body.customerId;
  return {
    runId: idFrom('run', principal.tenant, idempotencyKey),
    idempotencyKey,
    fingerprint,
    requester: principal.id,
    request: { ...shared, paymentId, amount } as NewRun['request'],
    paymentId,
    splitId,
    ...(note === undefined ? {} : { note }),
    ...(known === undefined ? {} : { customer: known }),
  };
}
