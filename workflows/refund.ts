import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { isRefundInput, type RefundInput, type RefundResult } from '../src/domain/refund/state';
import type { ErrorCode } from '../src/domain/errors';
import type { PolicyDecision } from '../src/domain/policy/evaluate';
import type { OpenedRefund } from '../activities/openRefund';
import type { ProviderRefund } from '../src/domain/refund/providerRefund';
import { answerLateDecisions, awaitDecision } from './decision';
import { Desk } from './desk';
import { awaitReview, reviewed } from './review';
import { durably, failureCode, provider, quick } from './steps';

const firstPollMs = 5_000;
const longestPollMs = 6 * 3_600_000;

/**
 * One refund: validate → hold the amount → policy → wait for people → check again → issue → settle → notify →
 * remember → archive. The history is the checkpoint; every side effect is an activity keyed by our `runId` and step.
 */
export async function refund(input: RefundInput): Promise<RefundResult> {
  if (!isRefundInput(input)) throw ApplicationFailure.nonRetryable('that is no refund', 'invalid_request');
  const desk = new Desk(input);
  const { tenant, runId } = input;

  const opened = await open(desk);
  if (!opened.admitted)
    return finish(desk, { outcome: 'rejected', code: opened.code, detail: opened.detail });
  desk.state = { ...desk.state, target: opened.paymentId };
  // Reset after the call to the provider: only its outcome counts, whatever was asked since.
  if (opened.journalled) desk.ignoreCancel();
  if (desk.cancelledBy !== undefined) return finish(desk, { outcome: 'cancelled', code: 'cancelled' });

  const policy = await durably(() => quick.evaluatePolicy({ tenant, runId, amount: input.arguments.amount }));
  if (policy.decision === 'approval') {
    const refused = await askPeople(desk, policy);
    if (refused) return finish(desk, { outcome: 'rejected', ...refused });
  }

  for (;;) {
    if (desk.approval) {
      const decided = await awaitDecision(desk);
      if (decided !== 'approved')
        return finish(desk, { outcome: decided, code: decided }, desk.approval.decidedBy?.actor);
      desk.state = { ...desk.state, approved: desk.approval.arguments };
      await answerLateDecisions(desk);
    }
    if (desk.cancelledBy !== undefined) return finish(desk, { outcome: 'cancelled', code: 'cancelled' });

    const verdict = await checkAgain(desk);
    if (verdict.verdict === 'execute') break;
    if (verdict.verdict === 'refused')
      return finish(desk, { outcome: 'rejected', code: verdict.code, detail: verdict.detail });
    if (verdict.verdict === 'wait_again') {
      desk.approval = verdict.approval;
      desk.enter('waiting_approval', 'people to decide again');
    } else {
      await awaitReview(desk, verdict.code, verdict.detail);
    }
  }

  const issued = await issue(desk);
  if ('code' in issued) return finish(desk, { outcome: 'failed', ...issued });
  return settle(desk, issued);
}

/** Validation; what only a person can clear (refused credentials) is shown and tried again. */
async function open(desk: Desk): Promise<OpenedRefund> {
  for (;;) {
    try {
      return await durably(() => quick.openRefund({ ...desk.input, workflowId: workflowInfo().workflowId }));
    } catch (error) {
      const failure = failureCode(error);
      if (!failure || !reviewed(failure.code)) throw error;
      if (desk.cancelledBy !== undefined)
        return { admitted: true, paymentId: desk.state.target, journalled: false };
      await awaitReview(desk, failure.code, failure.detail);
    }
  }
}

/** @returns why nobody can be asked: published again after a reset, the amount may not be there any more */
async function askPeople(
  desk: Desk,
  policy: PolicyDecision,
): Promise<{ code: ErrorCode; detail: string } | undefined> {
  const { input, epoch, state } = desk;
  const publish = {
    input,
    paymentId: state.target,
    arguments: state.arguments,
    policy,
    epoch,
    now: Date.now(),
  };
  try {
    desk.approval = await durably(() => quick.publishApproval(publish));
  } catch (error) {
    const refused = failureCode(error);
    if (!refused) throw error;
    return refused;
  }
  desk.state = { ...desk.state, arguments: desk.approval.arguments };
  desk.enter('waiting_approval', `a decision. ${policy.explanation}`);
  return undefined;
}

/** Just before money moves. From here no cancel is taken, unless the run goes back to waiting. */
async function checkAgain(desk: Desk): ReturnType<typeof quick.authorizeExecution> {
  const { approval, votedIn, epoch, state } = desk;
  const { tenant, runId } = desk.input;
  desk.close();
  let verdict: Awaited<ReturnType<typeof quick.authorizeExecution>>;
  try {
    verdict = await durably(() =>
      quick.authorizeExecution({
        tenant,
        runId,
        paymentId: state.target,
        arguments: state.arguments,
        ...(approval ? { approval } : {}),
        ...(votedIn === undefined ? {} : { votedIn }),
        epoch,
      }),
    );
  } catch (error) {
    const failure = failureCode(error);
    if (!failure) throw error;
    verdict = { verdict: reviewed(failure.code) ? 'needs_review' : 'refused', ...failure };
  }
  if (verdict.verdict !== 'execute') desk.reopen();
  return verdict;
}

/** The one call that moves money: same key on every attempt, until it is known what became of it. */
async function issue(desk: Desk): Promise<ProviderRefund | { code: ErrorCode; detail: string }> {
  const { tenant, runId } = desk.input;
  const { arguments: args, target } = desk.state;
  desk.enter('executing', 'the payment provider');
  for (;;) {
    try {
      return await provider.issueRefund({
        tenant,
        runId,
        paymentId: target,
        amount: args.amount,
        reason: args.reason,
      });
    } catch (error) {
      const failure = failureCode(error);
      if (failure && !reviewed(failure.code)) return failure;
      if (failure) await awaitReview(desk, failure.code, failure.detail);
      desk.enter('executing', 'the payment provider');
    }
  }
}

/** Pending is neither success nor failure: asks again, ever more rarely, for as long as it takes (R16). */
async function settle(desk: Desk, issued: ProviderRefund): Promise<RefundResult> {
  const { tenant, runId } = desk.input;
  let refund = issued;
  for (let pause = firstPollMs; ; pause = Math.min(pause * 2, longestPollMs)) {
    const current = refund;
    const settlement = await durably(() =>
      quick.settleRefund({ tenant, runId, refund: current, arguments: desk.state.arguments }),
    );
    if (settlement === 'paid') {
      desk.state = { ...desk.state, executed: { ...desk.state.arguments, amount: refund.amount } };
      return finish(desk, { outcome: 'completed', refundId: refund.id, amount: refund.amount });
    }
    if (settlement === 'failed') {
      const detail = refund.failureReason ?? refund.status;
      return finish(desk, { outcome: 'failed', code: 'provider_refused', detail, refundId: refund.id });
    }
    if (desk.state.phase !== 'settling') desk.enter('settling', 'the provider to settle the refund');
    await desk.pause(pause);
    refund = await look(desk, refund);
  }
}

/** Money may have moved, so nothing that the provider says instead of an answer ends the run: a person is asked. */
async function look(desk: Desk, refund: ProviderRefund): Promise<ProviderRefund> {
  try {
    return await provider.checkRefund({ refundId: refund.id });
  } catch (error) {
    const failure = failureCode(error);
    if (!failure) throw error;
    await awaitReview(desk, failure.code, failure.detail);
    return refund;
  }
}

/** Tells the outcome, offers it to memory, and closes the books. */
async function finish(desk: Desk, result: RefundResult, decidedBy?: string): Promise<RefundResult> {
  const { tenant, runId, requester, onBehalfOf } = desk.input;
  const endedBy = decidedBy ?? desk.cancelledBy;
  desk.close();
  await answerLateDecisions(desk);
  await durably(() => quick.notifyRequester({ tenant, runId, recipient: requester, result }));
  if (result.outcome === 'completed') {
    const { amount, reason } = desk.state.arguments;
    const owner = onBehalfOf ?? requester;
    await durably(() =>
      quick.proposeMemory({
        tenant,
        owner,
        runId,
        amount,
        reason,
        ...(result.refundId === undefined ? {} : { refundId: result.refundId }),
      }),
    );
  }
  await durably(() =>
    quick.archiveRun({
      tenant,
      runId,
      result,
      epoch: desk.epoch,
      now: Date.now(),
      ...(endedBy === undefined ? {} : { endedBy }),
    }),
  );
  await answerLateDecisions(desk);
  desk.enter(result.outcome);
  desk.conclude(result);
  return result;
}
