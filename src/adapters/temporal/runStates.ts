import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import type { HeldApproval } from '../../domain/approval/held';
import { queryNames, refundWorkflowId, workflowTypes } from '../../domain/contract';
import { CountersignError } from '../../domain/errors';
import type { RunEnd, RunState, RunStates } from '../../ports/runStates';

const serverPatienceMs = 5_000;
const invalidArgument = 3;

const ends: Readonly<Record<string, RunEnd>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed_out',
};

export class TemporalRunStates implements RunStates {
  constructor(private readonly client: Client) {}

  async waiting(
    tenant: string,
    after: string | undefined,
    limit: number,
  ): Promise<{ runIds: string[]; next: string | undefined }> {
    const { workflowService } = this.client;
    // Tenants are words of letters, digits and hyphens; the database would have refused any other.
    const asked = {
      namespace: this.client.options.namespace,
      query: `WorkflowType = '${workflowTypes.refund}' AND ExecutionStatus = 'Running' AND CountersignTenant = '${tenant}' AND CountersignPhase = 'waiting_approval'`,
      pageSize: limit,
      ...(after === undefined ? {} : { nextPageToken: Buffer.from(after, 'base64url') }),
    };
    const page = await this.asking(() => workflowService.listWorkflowExecutions(asked));
    const prefix = refundWorkflowId(tenant, '');
    // Only runs themselves: a run that was reopened has another workflow, in which nobody is asked.
    const ids = (page.executions ?? []).map(({ execution }) => execution?.workflowId ?? '');
    const token = page.nextPageToken ?? [];
    return {
      runIds: ids
        .flatMap((id) => (id.startsWith(prefix) ? [id.slice(prefix.length)] : []))
        .filter((id) => !id.includes('/')),
      next: token.length === 0 ? undefined : Buffer.from(token).toString('base64url'),
    };
  }

  async look(tenant: string, runId: string, patienceMs: number): Promise<RunState> {
    const workflowId = refundWorkflowId(tenant, runId);
    const described = await this.describe(workflowId);
    if (!described) return { kind: 'gone' };
    const held = await this.ask(workflowId, patienceMs);
    const { status, closeTime, raw } = described;
    if (closeTime) {
      const how = ends[status.name] ?? 'failed';
      return { kind: 'ended', how, endedAt: closeTime.getTime(), held };
    }
    return held ? { kind: 'running', held, atRest: !raw.pendingWorkflowTask } : { kind: 'unanswered' };
  }

  private async describe(workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
    try {
      return await this.asking(() => this.client.workflow.getHandle(workflowId).describe());
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  /** Whatever goes wrong with a query, it is that nobody has answered it. */
  private async ask(workflowId: string, patienceMs: number): Promise<HeldApproval | undefined> {
    try {
      return await this.client.withDeadline(Date.now() + patienceMs, () =>
        this.client.workflow.getHandle(workflowId).query<HeldApproval>(queryNames.approvalState),
      );
    } catch {
      return undefined;
    }
  }

  private async asking<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await this.client.withDeadline(Date.now() + serverPatienceMs, call);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw error;
      if (isGrpcServiceError(error) && Number(error.code) === invalidArgument)
        throw new CountersignError('invalid_request', 'cursor: take it from nextCursor of an earlier page', {
          issues: [{ path: 'cursor', message: 'not a cursor of this check' }],
        });
      throw new CountersignError('dependency_unavailable', 'Temporal does not answer');
    }
  }
}
