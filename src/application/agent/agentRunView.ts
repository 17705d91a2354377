import type { AgentRun } from '../../ports/agentRuns';
import { iso } from '../viewParts';

export type AgentRunView = ReturnType<typeof agentRunView>;

/** The run as the doors show it. */
export function agentRunView({
  runId,
  requester,
  version,
  state,
  texts,
  usage,
  createdAt,
  updatedAt,
}: AgentRun) {
  const { goal: _where, ...rest } = state;
  return {
    ...rest,
    version,
    goal: texts?.goal ?? null,
    ownerId: texts?.owner ?? null,
    requester,
    onBehalfOf: texts?.onBehalfOf ?? null,
    usage: {
      calls: usage.calls,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      costUsd: (usage.costMicros / 1_000_000).toFixed(6),
    },
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
    links: {
      self: `/v1/runs/${runId}`,
      pause: `/v1/runs/${runId}/pause`,
      resume: `/v1/runs/${runId}/resume`,
      timeline: `/v1/runs/${runId}/timeline`,
      events: `/v1/runs/${runId}/events`,
      thread: `/v1/threads/${state.conversationId}`,
    },
  };
}
