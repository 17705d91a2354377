import { ActivityFailure, ApplicationFailure, CancellationScope, patched } from '@temporalio/workflow';
import { isErrorCode, type ErrorCode } from '../src/domain/errors';
import type { ProviderRefund } from '../src/domain/refund/providerRefund';
import type { RefundResult } from '../src/domain/refund/state';
import { isCancelled } from './cancels';
import { answerLateDecisions } from './decision';
import type { Desk } from './desk';
import { finish } from './finish';
import { isLong, startAnew } from './longRun';
import { moneyOf } from './money';
import { awaitReview, reviewed } from './review';
import { durably, failureCode, provider, quick } from './steps';

const firstPollMs = 5_000;
const longestPollMs = 6 * 3_600_000;

interface Failure {
  readonly code: ErrorCode;
  readonly detail: string;
}

/** Issues the refund and follows it until it is settled one way or the other. */
export async function payOut(desk: Desk): Promise<RefundResult> {
  const issued = await issue(desk);
  if (issued === 'cancelled') return finish(desk, { outcome: 'cancelled', code: 'cancelled' });
  if ('code' in issued) return finish(desk, { outcome: 'failed', ...issued });
  return settle(desk, issued);
}

/**
 * The one call that moves money: same key on every attempt, until it is known what became of it. After a quarter of
 * an hour without an answer, a person is shown what was tried; the run goes on trying meanwhile.
 */
async function issue(desk: Desk): Promise<ProviderRefund | Failure | 'cancelled'> {
  let personSaysRetry = false;
  for (;;) {
    if (isLong(desk)) await startAnew(desk);
    desk.enter('executing', 'the payment provider');
    try {
      return await send(desk, personSaysRetry);
    } catch (error) {
      const final = failureCode(error);
      const failure = final ?? lastAttempt(error);
      if (!failure) throw error;
      if (failure.code === 'brake_engaged') continue;
      // The task in which it was cancelled was lost after our own database had it.
      if (failure.code === 'run_cancelled') return 'cancelled';
      if (final && !reviewed(final.code)) return final;
      const tried = [
        'the same key was sent again and again',
        'the provider was asked for a refund of this run',
      ];
      const settled = await awaitReview(desk, { ...failure, tried });
      if (settled.kind === 'fail') return failure;
      if (settled.kind === 'paid') return settled.refund;
      personSaysRetry = settled.kind === 'retry';
      // Refused for certain, and the provider repeats that for this key also when the dispute is over (R4).
      if (failure.code === 'payment_disputed' && patched('another-key-after-a-dispute')) desk.round += 1;
    }
  }
}

/** The call, and a cancel that may still come before it is on record: the kill switch can hold it for long (R55). */
async function send(desk: Desk, personSaysRetry: boolean): Promise<ProviderRefund | 'cancelled'> {
  const { tenant, runId } = desk.input;
  const { target } = desk.state;
  const { round } = desk;
  const args = moneyOf(desk);
  let over = false;
  const scope = new CancellationScope();
  const call = scope.run(() =>
    provider.issueRefund({
      ...{ tenant, runId, round, paymentId: target },
      ...{ amount: args.amount, reason: args.reason, personSaysRetry },
    }),
  );
  const ended = () => {
    over = true;
  };
  call.then(ended, ended);
  // A later round is of money that had moved: nothing is left to cancel.
  if (round !== 1) return call;
  let actor: string | undefined;
  do {
    actor = await desk.cancelWhileSending(() => over);
    if (actor === undefined) return call;
  } while (!(await isCancelled(desk)));
  actor = desk.cancels.first ?? actor;
  if (patched('cancel-until-sent')) {
    const { cancelled } = await durably(() => quick.cancelUnsent({ tenant, runId, actor }));
    if (cancelled) {
      scope.cancel();
      await call.catch(() => undefined);
      return 'cancelled';
    }
  }
  desk.ignoreCancel();
  return call;
}

/** Pending is neither success nor failure: waits for the provider's news, and asks ever more rarely (R16). */
export async function settle(desk: Desk, issued: ProviderRefund): Promise<RefundResult> {
  const { tenant, runId } = desk.input;
  let refund = issued;
  desk.close();
  for (let pause = firstPollMs; ; pause = Math.min(pause * 2, longestPollMs)) {
    const { target } = desk.state;
    const args = moneyOf(desk);
    const current = { tenant, runId, round: desk.round, paymentId: target, refund, arguments: args };
    const settlement = await durably(() => quick.settleRefund(current));
    if (settlement === 'paid') {
      desk.state = { ...desk.state, executed: { ...args, amount: refund.amount } };
      return finish(desk, { outcome: 'completed', refundId: refund.id, amount: refund.amount });
    }
    if (settlement === 'failed') {
      const detail = refund.failureReason ?? refund.status;
      return finish(desk, { outcome: 'failed', code: 'provider_refused', detail, refundId: refund.id });
    }
    if (isLong(desk)) {
      await answerLateDecisions(desk);
      await startAnew(desk);
    }
    if (desk.state.phase !== 'settling') desk.enter('settling', 'the provider to settle the refund');
    await desk.awaitProvider(pause);
    refund = await look(desk, refund);
  }
}

/** Money may have moved, so nothing that the provider says instead of an answer ends the run: a person is asked. */
async function look(desk: Desk, refund: ProviderRefund): Promise<ProviderRefund> {
  try {
    return await provider.checkRefund({ refundId: refund.id });
  } catch (error) {
    const failure = failureCode(error) ?? lastAttempt(error);
    if (!failure) throw error;
    const tried = [`the provider was asked for refund ${refund.id}`];
    await awaitReview(desk, { ...failure, tried, actions: ['retry'] });
    return refund;
  }
}

/** The last error of an activity that ran out of time; without one, nothing is known. */
function lastAttempt(error: unknown): Failure | undefined {
  if (!(error instanceof ActivityFailure)) return undefined;
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause as Error | undefined) {
    if (cause instanceof ApplicationFailure && isErrorCode(cause.type))
      return { code: cause.type, detail: cause.message };
  }
  return { code: 'provider_unknown', detail: 'the provider did not answer' };
}
