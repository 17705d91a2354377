import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { isRefundInput, ofMoney, type RefundInput, type RefundResult } from '../src/domain/refund/state';
import type { ErrorCode } from '../src/domain/errors';
import type { PolicyDecision } from '../src/domain/policy/evaluate';
import type { OpenedRefund } from '../activities/openRefund';
import { answerLateDecisions, awaitDecision } from './decision';
import { isCancelled } from './cancels';
import { Desk } from './desk';
import { finish } from './finish';
import { goesOn, goOn } from './longRun';
import { moneyOf, refundOf } from './money';
import { payOut, settle } from './payout';
import { awaitReview, reviewed } from './review';
import { durably, failureCode, quick } from './steps';

/**
 * One refund: validate → hold the amount → policy → wait for people → check again → issue → settle → notify →
 * remember → archive. The history is the checkpoint; every side effect is an activity keyed by our `runId` and step.
 */
export async function refund(input: RefundInput): Promise<RefundResult> {
  if (!isRefundInput(input)) throw ApplicationFailure.nonRetryable('that is no refund', 'invalid_request');
  if (input.continued && !goesOn())
    throw ApplicationFailure.nonRetryable('nothing goes on here', 'not_started_here');
  const desk = new Desk(input);
  const { tenant, runId } = input;
  if (input.reopened) return carryOn(desk, input.reopened.refundId);

  const opened = await open(desk);
  if (!opened.admitted)
    return finish(desk, { outcome: 'rejected', code: opened.code, detail: opened.detail });
  desk.state = { ...desk.state, target: opened.paymentId };
  // Reset after the call to the provider: only its outcome counts, whatever was asked since.
  if (opened.journalled) desk.ignoreCancel();
  if (desk.cancels.first !== undefined && (await isCancelled(desk)))
    return finish(desk, { outcome: 'cancelled', code: 'cancelled' });

  if (input.continued) {
    const refused = await goOn(desk);
    if (refused) return finish(desk, { outcome: 'rejected', ...refused });
  }
  if (!desk.approval && !(input.continued && opened.journalled)) {
    const policy = await durably(() =>
      quick.evaluatePolicy({ tenant, runId, amount: input.arguments.amount }),
    );
    if (policy.decision === 'approval') {
      const refused = await askPeople(desk, policy);
      if (refused) return finish(desk, { outcome: 'rejected', ...refused });
    }
  }

  for (;;) {
    if (desk.approval) {
      const decided = await awaitDecision(desk);
      if (decided !== 'approved')
        return finish(
          desk,
          { outcome: decided, code: decided },
          { decidedBy: desk.approval.decidedBy?.actor },
        );
      desk.state = { ...desk.state, approved: ofMoney(desk.approval.arguments) };
      await answerLateDecisions(desk);
    }
    if (desk.cancels.first !== undefined && (await isCancelled(desk)))
      return finish(desk, { outcome: 'cancelled', code: 'cancelled' });

    const verdict = await checkAgain(desk);
    if (verdict.verdict === 'execute') break;
    if (verdict.verdict === 'refused')
      return finish(desk, { outcome: 'rejected', code: verdict.code, detail: verdict.detail });
    if (verdict.verdict === 'wait_again') {
      desk.approval = verdict.approval;
      desk.enter('waiting_approval', 'people to decide again');
    } else {
      const tried = ['the payment was read at the provider just before money would have moved'];
      const settled = await awaitReview(desk, { ...verdict, tried });
      if (settled.kind === 'fail')
        return finish(desk, { outcome: 'failed', code: verdict.code, detail: verdict.detail });
      if (settled.kind === 'paid') return settle(desk, settled.refund);
    }
  }

  return payOut(desk);
}

/** A finished run whose refund failed later: the balance is restored, and a person says how it goes on (R17). */
async function carryOn(desk: Desk, refundId: string): Promise<RefundResult> {
  const { tenant, runId } = desk.input;
  const { target: paymentId } = desk.state;
  // Money had moved: there is nothing left to cancel.
  desk.close();
  const { workflowId } = workflowInfo();
  await durably(() =>
    quick.reverseRefund({ input: refundOf(desk), workflowId, refundId, round: desk.round - 1 }),
  );
  const detail = `refund ${refundId} failed after it had succeeded`;
  const tried = ['the balance was restored', 'the requester was told'];
  for (;;) {
    const settled = await awaitReview(desk, { code: 'provider_refused', detail, tried });
    if (settled.kind === 'fail')
      return finish(
        desk,
        { outcome: 'failed', code: 'provider_refused', detail, refundId },
        { decidedBy: settled.actor, told: true },
      );
    if (settled.kind === 'paid') return settle(desk, settled.refund);
    if (settled.kind === 'retry') {
      const held = await durably(() =>
        quick.holdAgain({ tenant, runId, paymentId, amount: moneyOf(desk).amount }),
      );
      if (held.held) return payOut(desk);
      tried.push(`sending it again was refused: ${held.detail}`);
    }
  }
}

/** Validation; what only a person can clear (refused credentials) is shown and tried again. */
async function open(desk: Desk): Promise<OpenedRefund> {
  for (;;) {
    try {
      return await durably(() =>
        quick.openRefund({ ...refundOf(desk), workflowId: workflowInfo().workflowId }),
      );
    } catch (error) {
      const failure = failureCode(error);
      if (!failure || !reviewed(failure.code)) throw error;
      if (desk.cancels.first !== undefined && (await isCancelled(desk)))
        return { admitted: true, paymentId: desk.state.target, journalled: false };
      const tried = ['the payment was asked for at the provider'];
      const settled = await awaitReview(desk, { ...failure, tried, actions: ['retry', 'fail'] });
      if (settled.kind === 'fail') return { admitted: false, ...failure };
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
    arguments: moneyOf(desk),
    policy,
    epoch,
    now: Date.now(),
  };
  desk.opening = true;
  try {
    desk.approval = await durably(() => quick.publishApproval(publish));
  } catch (error) {
    const refused = failureCode(error);
    if (!refused) throw error;
    return refused;
  } finally {
    desk.opening = false;
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
        arguments: moneyOf(desk),
        ...(approval ? { approval } : {}),
        ...(votedIn === undefined ? {} : { votedIn }),
        epoch,
        now: Date.now(),
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
