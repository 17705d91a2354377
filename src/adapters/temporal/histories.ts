import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { refundWorkflowId } from '../../domain/contract';
import { CountersignError } from '../../domain/errors';
import type { Histories } from '../../ports/histories';
import { connectionOptions, dataConverterFor, type TemporalSettings } from './connection';

const serverPatienceMs = 5_000;
const notFound = 5;

interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

/** Deletes closed executions through Temporal's own interface, which leaves nothing to decrypt, replay or reset. */
export class TemporalHistories implements Histories {
  constructor(private readonly client: Client) {}

  /** Connects when first used. */
  static lazily(settings: TemporalSettings): TemporalHistories {
    const connection = Connection.lazy(connectionOptions(settings));
    const { namespace } = settings;
    return new TemporalHistories(
      new Client({ connection, namespace, dataConverter: dataConverterFor(settings) }),
    );
  }

  async erase(tenant: string, runId: string): Promise<'gone' | 'deleting' | 'running'> {
    const workflowId = refundWorkflowId(tenant, runId);
    try {
      const found = await this.executionsOf(workflowId);
      if (found.length === 0) return 'gone';
      for (const execution of found) if (await this.isRunning(execution)) return 'running';
      for (const execution of found) await this.delete(execution);
      return 'deleting';
    } catch {
      throw new CountersignError('dependency_unavailable', 'Temporal does not answer');
    }
  }

  async close(): Promise<void> {
    await this.client.connection.close();
  }

  /** By its index, which is a moment behind, and the newest by itself. */
  private async executionsOf(workflowId: string): Promise<Execution[]> {
    const found = new Map<string, Execution>();
    const query = `WorkflowId = '${workflowId}' OR WorkflowId STARTS_WITH '${workflowId}/'`;
    const listing = this.client.workflow.list({ query });
    for await (const { workflowId: id, runId } of listing) found.set(runId, { workflowId: id, runId });
    const newest = await this.describe(workflowId);
    if (newest) found.set(newest.runId, { workflowId, runId: newest.runId });
    return [...found.values()];
  }

  private async isRunning({ workflowId, runId }: Execution): Promise<boolean> {
    return (await this.describe(workflowId, runId))?.status.name === 'RUNNING';
  }

  private async describe(workflowId: string, runId?: string) {
    try {
      return await this.asking(() => this.client.workflow.getHandle(workflowId, runId).describe());
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  private async delete(workflowExecution: Execution): Promise<void> {
    const { namespace } = this.client.options;
    try {
      await this.asking(() =>
        this.client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution }),
      );
    } catch (error) {
      if (!isGrpcServiceError(error) || Number(error.code) !== notFound) throw error;
    }
  }

  private async asking<T>(call: () => Promise<T>): Promise<T> {
    return this.client.withDeadline(Date.now() + serverPatienceMs, call);
  }
}
