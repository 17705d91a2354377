import { ApplicationFailure } from '@temporalio/workflow';
import type { MemoryProposalResult } from '../src/domain/memory/proposal';
import { isRefundInput, type ProposalInput, type RefundResult } from '../src/domain/refund/state';
import { answerLateDecisions, awaitDecision } from './decision';
import { Desk } from './desk';
import { goesOn, goOn } from './longRun';
import { durably, quick } from './steps';

type Outcome = MemoryProposalResult['outcome'];

const phases: Record<Outcome, RefundResult['outcome']> = {
  adopted: 'completed',
  refused: 'failed',
  rejected: 'rejected',
  expired: 'expired',
  cancelled: 'cancelled',
};

/**
 * A rule of procedure that somebody proposes: it is in the inbox → an administrator decides, or time does → it becomes a
 * memory, or is gone. What it says is nowhere in here.
 */
export async function memoryProposal(input: ProposalInput): Promise<MemoryProposalResult> {
  if (!isRefundInput(input)) throw ApplicationFailure.nonRetryable('that is no proposal', 'invalid_request');
  if (input.continued && !goesOn())
    throw ApplicationFailure.nonRetryable('nothing goes on here', 'not_started_here');
  const desk = new Desk(input);
  if (input.continued) await goOn(desk);
  const outcome = await outcomeOf(desk);
  desk.close();
  await answerLateDecisions(desk);
  desk.enter(phases[outcome]);
  desk.conclude({ outcome: phases[outcome] });
  return { candidateId: input.runId, outcome };
}

async function outcomeOf(desk: Desk): Promise<Outcome> {
  const { input, epoch } = desk;
  const of = { tenant: input.tenant, candidateId: input.runId, epoch };
  if (!desk.approval) {
    desk.opening = true;
    const opened = await durably(() => quick.openMemoryProposal({ ...of, now: Date.now() }));
    desk.opening = false;
    if (!opened) return 'cancelled';
    // After a reset: it had ended before, and nothing is left to decide about.
    if (opened.status === 'expired' || opened.status === 'cancelled') return opened.status;
    desk.approval = opened;
    desk.enter('waiting_approval', `a decision. ${opened.policy.explanation}`);
  }
  for (;;) {
    const decided = await awaitDecision(desk);
    if (decided !== 'approved') {
      await durably(() => quick.closeMemoryProposal({ ...of, outcome: decided, now: Date.now() }));
      return decided;
    }
    const { votedIn } = desk;
    const adoption = await durably(() =>
      quick.adoptMemory({ ...of, ...(votedIn === undefined ? {} : { votedIn }) }),
    );
    if (adoption.kind === 'ended') return adoption.outcome;
    desk.approval = adoption.approval;
    desk.votedIn = undefined;
  }
}
