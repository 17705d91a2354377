import { CountersignError } from '../src/domain/errors';
import type { Money } from '../src/domain/money/money';
import type { RefundReason } from '../src/domain/refund/request';
import { effectKey } from '../src/domain/steps';
import type { Effect } from '../src/ports/ledger';
import type { PaymentProvider, ProviderRefund } from '../src/ports/payments';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';
import { whileHeartbeating } from './heartbeat';

export interface RefundToIssue {
  readonly tenant: string;
  readonly runId: string;
  /** Counts from 1; another one only after the last has provably failed. */
  readonly round: number;
  readonly paymentId: string;
  readonly amount: Money;
  readonly reason: RefundReason;
  /** The provider may have forgotten the key; a person who has looked says that it is safe to send it again. */
  readonly personSaysRetry: boolean;
}

/**
 * Money moves here, and nowhere else. The journal row is written before the call, under the key
 * `<runId>:issue_refund`, and every attempt sends that same key: whatever dies, the provider makes one refund.
 */
export function issueRefund({
  store,
  payments,
  providerKeyWindowMs,
}: Pick<Dependencies, 'store' | 'payments' | 'providerKeyWindowMs'>) {
  return async (refund: RefundToIssue): Promise<ProviderRefund> => {
    const { tenant, runId, round, paymentId, amount, reason } = refund;
    const key = effectKey(runId, 'issue_refund', round);
    const request = JSON.stringify([paymentId, amount.minor, amount.currency, reason]);
    const effect = await store.inTenant(tenant, async (unit) => {
      await refuseUnderBrake(unit);
      const row = await unit.effects.begin(key, runId, 'issue_refund', request);
      if (row.state === 'refused') return row;
      await refuseUnlessHeld(unit, runId);
      await unit.audit.append({
        runId,
        actor: 'countersign',
        event: 'refund_sent',
        step: effectKey('', 'issue_refund', round).slice(1),
        after: { amount },
        effectKey: key,
      });
      return row;
    });
    if (effect.state === 'refused') throw refusedBefore(effect);
    if (effect.request !== request && effect.providerId === null) {
      throw new CountersignError(
        'provider_key_reused',
        'this run has sent another refund under its key already',
      );
    }
    try {
      return await whileHeartbeating(() => send(payments, refund, key, effect, providerKeyWindowMs));
    } catch (error) {
      if (error instanceof CountersignError) await recordFailure(store, refund, key, error);
      throw error;
    }
  };
}

/** After so many attempts without an answer the provider's list is read as well; sending the key again costs less. */
const attemptsBeforeLook = 4;

/** How soon a refund that the kill switch holds back looks again, ms. */
const brakeLookMs = 3_000;

/** Pulled, the switch stops re-sends too; the attempt comes back by itself after the release (R55). */
async function refuseUnderBrake({ brakes }: Unit): Promise<void> {
  const brake = await brakes.engaged();
  if (!brake) return;
  const whose = brake.scope === '*' ? 'for all tenants' : 'for this tenant';
  throw new CountersignError('brake_engaged', `the kill switch is pulled ${whose} by ${brake.actor}`, {
    retryAfterMs: brakeLookMs,
  });
}

/** What the provider has refused is never sent again under that key: it would only be refused again, or be forgotten. */
function refusedBefore({ errorCode }: Effect): CountersignError {
  return new CountersignError(errorCode ?? 'provider_refused', 'the provider has refused this call already');
}

/** What a run has given back is no longer its to pay out; a cancel at the same moment waits, or is waited for. */
async function refuseUnlessHeld({ runs }: Unit, runId: string): Promise<void> {
  const run = await runs.lock(runId);
  if (run && run.money !== 'none' && run.money !== 'freed') return;
  if (run?.phase === 'cancelled') throw new CountersignError('run_cancelled');
  throw new CountersignError('provider_refused', 'the run holds no amount; nothing was sent');
}

async function send(
  payments: PaymentProvider,
  refund: RefundToIssue,
  key: string,
  effect: Effect,
  keyWindowMs: number,
): Promise<ProviderRefund> {
  if (effect.providerId !== null) return payments.getRefund(effect.providerId);
  if (Date.now() - effect.firstSentAt >= keyWindowMs) {
    const found = await lookUp(payments, refund, key);
    if (found) return found;
  }
  if (effect.state === 'unknown' && effect.attempts > attemptsBeforeLook) {
    const found = await payments.findRefund(refund.paymentId, key).catch(() => undefined);
    if (found) return found;
  }
  try {
    return await payments.issueRefund({ key, ...refund });
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    if (error.code === 'provider_already_refunded') return ours(payments, refund, key, error);
    if (error.code === 'provider_error') return inSpiteOf(error, payments, refund, key);
    throw error;
  }
}

/** The provider repeats its error for as long as it keeps the key, whether or not it has moved money: its list tells (R13). */
async function inSpiteOf(
  error: CountersignError,
  payments: PaymentProvider,
  { paymentId }: RefundToIssue,
  key: string,
): Promise<ProviderRefund> {
  const found = await payments.findRefund(paymentId, key).catch(() => undefined);
  if (found) return found;
  throw error;
}

/**
 * The provider has forgotten the key: a call now would be a new refund, so it is looked up first, and sent again only
 * on a person's word (R5, R13).
 */
async function lookUp(
  payments: PaymentProvider,
  { paymentId, personSaysRetry }: RefundToIssue,
  key: string,
): Promise<ProviderRefund | undefined> {
  const found = await payments.findRefund(paymentId, key);
  if (found || personSaysRetry) return found;
  throw new CountersignError(
    'provider_key_reused',
    'the provider has forgotten the key and lists no refund of this run; a person must decide whether to send it again',
  );
}

/** "Already refunded" is success only if the refund found is ours (R15). */
async function ours(
  payments: PaymentProvider,
  { paymentId }: RefundToIssue,
  key: string,
  error: CountersignError,
): Promise<ProviderRefund> {
  const found = await payments.findRefund(paymentId, key);
  if (found) return found;
  throw new CountersignError(
    'provider_refused',
    'the payment is refunded already, not by this run',
    error.details,
  );
}

async function recordFailure(
  store: Dependencies['store'],
  { tenant, runId, round }: RefundToIssue,
  key: string,
  error: CountersignError,
): Promise<void> {
  const unknown = error.retry === 'look_up';
  // A dispute is refused for as long as the provider keeps the key; after it the run goes on under another one.
  const refused = error.retry === 'fail' || error.code === 'payment_disputed';
  if (!unknown && !refused) return;
  await store.inTenant(tenant, async (unit) => {
    await unit.effects.recordFailure(key, unknown ? 'unknown' : 'refused', error.code);
    // A timeout is unknown, never failed: the amount stays held (R12).
    if (unknown) await unit.ledger.markUnknown(runId);
    await unit.audit.append({
      runId,
      actor: 'provider',
      event: unknown ? 'refund_outcome_unknown' : 'refund_refused',
      step: `${effectKey('', 'issue_refund', round).slice(1)}:${unknown ? 'unknown' : 'refused'}`,
      reason: error.code,
      effectKey: key,
    });
  });
}
