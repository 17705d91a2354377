import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';

/** One execution of a workflow: `runId` is Temporal's own, which changes with every reset and continue-as-new. */
export interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

const serverPatienceMs = 5_000;

/** Temporal answers within five seconds, or it throws. */
export async function asking<T>(client: Client, call: () => Promise<T>): Promise<T> {
  return client.withDeadline(Date.now() + serverPatienceMs, call);
}

/**
 * Every execution of this workflow, and of those that carry on its run, that Temporal still has: by its index, which is
 * a moment behind, and the newest by itself. Oldest first.
 */
export async function executionsOf(client: Client, workflowId: string): Promise<Execution[]> {
  const found = new Map<string, Execution & { readonly startedAt: number }>();
  const query = `WorkflowId = '${workflowId}' OR WorkflowId STARTS_WITH '${workflowId}/'`;
  for await (const { workflowId: id, runId, startTime } of client.workflow.list({ query }))
    found.set(runId, { workflowId: id, runId, startedAt: startTime.getTime() });
  const newest = await describeExecution(client, workflowId);
  if (newest)
    found.set(newest.runId, { workflowId, runId: newest.runId, startedAt: newest.startTime.getTime() });
  return [...found.values()]
    .sort((one, other) => one.startedAt - other.startedAt || (one.runId < other.runId ? -1 : 1))
    .map(({ startedAt: _apart, ...execution }) => execution);
}

/** Without a run id, the newest. @returns undefined where Temporal has none */
export async function describeExecution(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await asking(client, () => client.workflow.getHandle(workflowId, runId).describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
