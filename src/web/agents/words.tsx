import type { AgentRunView } from '../../application/agent/agentRunView';
import type { AgentRunStatus, AgentStepOutput, AgentStepType } from '../../domain/agent/state';
import { errorCatalogue } from '../../domain/errors';
import { amountText, type Reader } from '../reader';
import { reasonWords, sentence, spaced } from '../words';

export const agentStatusWords: Readonly<Record<AgentRunStatus, string>> = {
  pending: 'Not taken up yet',
  running: 'Going on',
  paused: 'Paused',
  completed: 'Completed',
  failed: 'Failed',
  needs_review: 'Needs a person',
};

export const stepWords: Readonly<Record<AgentStepType, string>> = {
  look_up_order: 'Look up the payment',
  gather_evidence: 'Gather what was said',
  recall_memory: 'Recall what is remembered',
  search_knowledge: 'Search the handbook',
  draft_refund: 'Draft a refund',
  propose_refund: 'Propose it',
  await_refund: 'Wait for its end',
  notify: 'Tell the customer',
};

/** What the run stands at, and what makes it go on. */
export function standsAt(run: AgentRunView): string {
  const { status, plan, nextStepIndex, stepStatuses, lastError, pausedBy, pauseRequested } = run;
  const step = plan[nextStepIndex];
  const at = step ? ` before “${stepWords[step.type]}”` : ' before its plan';
  const why = lastError ? sentence(errorCatalogue[lastError.code].meaning) : '';
  switch (status) {
    case 'pending':
      return 'A worker has not taken it up yet; it is started by itself as soon as Temporal and a worker answer.';
    case 'paused':
      return pausedBy === 'asked'
        ? `Somebody paused it${at}. It goes on when it is resumed.`
        : `Its budget of steps is spent${at}. It goes on, with a new one, when it is resumed.`;
    case 'needs_review':
      return `It can not go on by itself${at}. ${why} It takes the same step again when it is resumed.`;
    case 'failed':
      return `It is over. ${why}`;
    case 'completed':
      return 'It is over: every step is done.';
    case 'running':
      break;
  }
  const paused = pauseRequested ? ' It pauses after this step.' : '';
  if (step && stepStatuses[step.id] === 'waiting')
    return `Its refund is on its way, and may wait for people. It goes on by itself when that has ended.${paused}`;
  if (lastError) return `${why} It is tried again by itself.${paused}`;
  return `A worker is ${step ? `at “${stepWords[step.type]}”` : 'making the plan'}.${paused}`;
}

/** What a step came to: ids and figures, and the refund that it proposed as a link. */
export function CameTo({ output, reader }: { output: AgentStepOutput | undefined; reader: Reader }) {
  if (output === undefined) return <>–</>;
  if ('refundRunId' in output) {
    const ended = 'outcome' in output ? `, ${spaced(output.outcome).toLowerCase()}` : '';
    const paid = 'amount' in output && output.amount ? `: ${amountText(output.amount, reader)}` : '';
    return (
      <>
        <a href={`/runs/${output.refundRunId}`}>The refund</a>
        {ended}
        {paid}
      </>
    );
  }
  if ('paymentId' in output)
    return (
      <>
        {output.paymentId}: {amountText(output.remaining, reader)} of {amountText(output.captured, reader)}{' '}
        remain
      </>
    );
  if ('turns' in output) return <>{counted(output.turns, 'message')}</>;
  if ('memories' in output) return <>{counted(output.memories, 'memory', 'memories')}</>;
  if ('passages' in output) return <>{counted(output.passages, 'passage')}</>;
  if ('told' in output) return <>{output.told}</>;
  return (
    <>
      {amountText(output.amount, reader)}, {reasonWords[output.reason].toLowerCase()}; cites{' '}
      {output.cites.length}; by {output.by}
    </>
  );
}

function counted(items: readonly string[], one: string, more = `${one}s`): string {
  return `${items.length} ${items.length === 1 ? one : more}`;
}
