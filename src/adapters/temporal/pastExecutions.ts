import { Client, Connection } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { workflowTypes } from '../../domain/contract';
import { connectionOptions, dataConverterFor, type TemporalSettings } from './connection';
import { tenantOf } from './encryption';
import { asking, executionsOf, type Execution } from './executions';

export type History = temporal.api.history.v1.IHistory;

/** One execution with its history, payloads as Temporal keeps them. */
export interface ExecutionHistory extends Execution {
  readonly history: History;
}

/** Histories as Temporal has them, only ever read. For operators: whoever can reach Temporal can read them without us. */
export class PastExecutions {
  private constructor(private readonly client: Client) {}

  /** @throws Error when Temporal does not answer there */
  static async connect(settings: TemporalSettings): Promise<PastExecutions> {
    const connection = await Connection.connect(connectionOptions(settings));
    const { namespace } = settings;
    return new PastExecutions(
      new Client({ connection, namespace, dataConverter: dataConverterFor(settings) }),
    );
  }

  /** Every execution of one workflow, and of those that carried on its run, that Temporal still has; oldest first. */
  async *of(workflowId: string): AsyncGenerator<ExecutionHistory> {
    for (const execution of await executionsOf(this.client, workflowId)) yield* this.read(execution);
  }

  /** Those of our workflows that have not ended, of one tenant or of all. */
  async *open(tenant: string | undefined): AsyncGenerator<ExecutionHistory> {
    const types = Object.values(workflowTypes).map((type) => `'${type}'`);
    const query = `ExecutionStatus = 'Running' AND WorkflowType IN (${types.join(', ')})`;
    for await (const { workflowId, runId } of this.client.workflow.list({ query }))
      if (tenant === undefined || tenantOf(workflowId) === tenant) yield* this.read({ workflowId, runId });
  }

  async close(): Promise<void> {
    await this.client.connection.close();
  }

  /** Nothing where Temporal has deleted it meanwhile. */
  private async *read({ workflowId, runId }: Execution): AsyncGenerator<ExecutionHistory> {
    const handle = this.client.workflow.getHandle(workflowId, runId);
    try {
      yield { workflowId, runId, history: await asking(this.client, () => handle.fetchHistory()) };
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
}
