import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { nextMove, type AgentFailure } from '../src/domain/agent/progress';
import {
  isAgentRunInput,
  newAgentState,
  type AgentRunInput,
  type AgentRunResult,
  type AgentState,
} from '../src/domain/agent/state';
import { queryNames, signalNames } from '../src/domain/contract';
import { isErrorCode } from '../src/domain/errors';
import { durably, once, quick } from './steps';

export const agentWoken = defineSignal(signalNames.agentWoken);
const stateQuery = defineQuery<AgentState>(queryNames.state);

/**
 * One agent run: a plan, then its steps one after the other, until it has ended. It stands still while it is paused, waits
 * for people or needs a person; then only the signal wakes it, and what has changed is read from its row. So it can go on in a
 * new execution at any point, and every step has a key of its own.
 */
export async function agentRun(input: AgentRunInput): Promise<AgentRunResult> {
  if (!isAgentRunInput(input))
    throw ApplicationFailure.nonRetryable('that is no agent run', 'invalid_request');
  const { tenant, runId } = input;
  const at = { tenant, runId };
  let woken = false;
  let state = newAgentState({ runId, tenantId: tenant, conversationId: '', maxStepsPerRun: null });
  setHandler(agentWoken, () => {
    woken = true;
  });
  setHandler(stateQuery, () => state);

  for (;;) {
    woken = false;
    state = await durably(() => quick.openAgentRun(at));
    setCurrentDetails(details(state));
    let move = nextMove(state);
    while (move.kind === 'plan' || move.kind === 'take') {
      const stepId = move.kind === 'plan' ? 'plan' : move.stepId;
      try {
        state = await (move.kind === 'plan' ? once.planAgentRun(at) : once.takeAgentStep({ ...at, stepId }));
      } catch (error) {
        const failure = failureOf(error);
        const failed = await durably(() => quick.failAgentStep({ ...at, stepId, failure }));
        state = failed.state;
        if (failed.pauseMs !== null) await condition(() => woken, failed.pauseMs);
      }
      setCurrentDetails(details(state));
      if (woken) break;
      move = nextMove(state);
    }
    if (woken) continue;
    if (move.kind === 'ended') return { runId, status: state.status };
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof agentRun>(at);
    await condition(() => woken);
  }
}

function failureOf(error: unknown): AgentFailure {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure) || !isErrorCode(cause.type))
    return {
      code: 'dependency_unavailable',
      detail: 'the step was broken off; nobody knows how far it came',
    };
  const details = cause.details?.[0];
  const retryAfterMs =
    typeof details === 'object' && details !== null && 'retryAfterMs' in details
      ? details.retryAfterMs
      : undefined;
  return {
    code: cause.type,
    detail: cause.message,
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
  };
}

/** What the Web UI shows beside the run. */
function details({ status, plan, nextStepIndex, lastError, stepStatuses }: AgentState): string {
  const step = plan[nextStepIndex];
  const where = step ? `, at step ${step.id} (${stepStatuses[step.id] ?? 'pending'})` : '';
  return `${status}${where}${lastError ? `; last error: ${lastError.code}` : ''}`;
}
