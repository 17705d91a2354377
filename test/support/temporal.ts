import { openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { dataConverter } from '../../src/adapters/temporal/connection';
import { refundWorkflowId } from '../../src/domain/contract';
import { fromSetup, namespaceNames } from './shared';

/** One of the namespaces that the run's server came up with; each is given out once. */
export function claimNamespace(): string {
  for (const name of namespaceNames) {
    try {
      closeSync(openSync(join(fromSetup('FOLDER'), 'namespaces', name), 'wx'));
      return name;
    } catch {
      // Taken by another suite.
    }
  }
  throw new Error('all namespaces of this run are taken; add some in test/support/shared.ts');
}

/** The real Temporal server, as a test looks at it. */
export class TestTemporal {
  private constructor(
    readonly namespace: string,
    readonly connection: Connection,
    readonly client: Client,
  ) {}

  static async connect(): Promise<TestTemporal> {
    const namespace = claimNamespace();
    const connection = await Connection.connect({ address: fromSetup('TEMPORAL_ADDRESS') });
    return new TestTemporal(namespace, connection, new Client({ connection, namespace, dataConverter }));
  }

  handle(tenant: string, runId: string) {
    return this.client.workflow.getHandle(refundWorkflowId(tenant, runId));
  }

  /** From now on the server skips this workflow's idle time: three days pass in about a second; `false` ends that. */
  async skipTime(tenant: string, runId: string, enabled = true): Promise<void> {
    await this.skipTimeOf(refundWorkflowId(tenant, runId), enabled);
  }

  /** The same, of any workflow. */
  async skipTimeOf(workflowId: string, enabled = true): Promise<void> {
    await this.connection.workflowService.updateWorkflowExecutionOptions({
      namespace: this.namespace,
      workflowExecution: { workflowId },
      workflowExecutionOptions: { timeSkippingConfig: { enabled } },
      updateMask: { paths: ['time_skipping_config'] },
    });
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}
