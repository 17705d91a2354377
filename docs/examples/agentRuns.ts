import type { AgentStepOutput, Countersign } from 'countersign';

/**
 * Lets an agent work towards a refund that a customer has asked for. It may only propose: people decide as about any.
 * @returns the refund that it proposed, and how the run ended
 */
export async function handleComplaint(agent: Countersign, threadId: string, customer: string) {
  const started = await agent.runs.start(
    { goal: 'Help this customer with his refund', threadId, ownerId: customer },
    { idempotencyKey: `complaint-${threadId}` },
  );
  let run = started;
  for await (run of agent.runs.watch(started.runId));
  const proposed = Object.values(run.stepOutputs).find(isRefund);
  return {
    status: run.status,
    refundRunId: proposed?.refundRunId ?? null,
    error: run.lastError?.code ?? null,
  };
}

function isRefund(output: AgentStepOutput): output is Extract<AgentStepOutput, { refundRunId: string }> {
  return 'refundRunId' in output;
}
