import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import { refundWorkflowId } from '../../domain/contract';
import { CountersignError } from '../../domain/errors';
import type { Histories } from '../../ports/histories';
import { connectionOptions, dataConverterFor, type TemporalSettings } from './connection';
import { asking, describeExecution, executionsOf, type Execution } from './executions';

const notFound = 5;

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
      const found = await executionsOf(this.client, workflowId);
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

  private async isRunning({ workflowId, runId }: Execution): Promise<boolean> {
    return (await describeExecution(this.client, workflowId, runId))?.status.name === 'RUNNING';
  }

  private async delete(workflowExecution: Execution): Promise<void> {
    const { namespace } = this.client.options;
    try {
      await asking(this.client, () =>
        this.client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution }),
      );
    } catch (error) {
      if (!isGrpcServiceError(error) || Number(error.code) !== notFound) throw error;
    }
  }
}
