import { Client, Connection, type WorkflowExecutionInfo } from '@temporalio/client';
import { dataConverter } from '../../adapters/temporal/connection';
import { refundWorkflowId, signalNames } from '../../domain/contract';
import { runCommand, type CommandResult } from '../../sandbox/embedded/commandRun';
import { untilReady } from '../../sandbox/embedded/readiness';
import { patienceMs } from './countersignApi';

type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;

/** What Temporal itself says of a run, and what an operator can do to it with Temporal's own tools. */
export class TemporalView {
  private constructor(
    private readonly connection: Connection,
    private readonly client: Client,
    private readonly address: string,
    private readonly cliPath: string,
  ) {}

  static async connect(address: string, cliPath: string): Promise<TemporalView> {
    const connection = await Connection.connect({ address });
    return new TemporalView(connection, new Client({ connection, dataConverter }), address, cliPath);
  }

  /** Resolves when Temporal's own record of the run has this phase. */
  async untilPhase(runId: string, phase: string): Promise<void> {
    await untilReady(async () => {
      const { typedSearchAttributes } = await this.handle(runId).describe();
      const seen = typedSearchAttributes.getAll().find(({ key }) => key.name === 'CountersignPhase')?.value;
      if (seen !== phase) throw new Error(`Temporal has ${runId} in phase ${String(seen)}, not ${phase}`);
    }, AbortSignal.timeout(patienceMs));
  }

  /** Status and Temporal's own id of the execution, which another execution would not have. */
  async execution(runId: string): Promise<{ status: string; executionId: string }> {
    const description = await untilReady(
      () => this.handle(runId).describe(),
      AbortSignal.timeout(patienceMs),
    );
    return { status: description.status.name, executionId: description.runId };
  }

  /** The pids that worked on the run, in order, as the history names them. */
  async workersOf(runId: string): Promise<number[]> {
    const { events } = await this.handle(runId).fetchHistory();
    const pids = (events ?? [])
      .map((event) => event.workflowTaskStartedEventAttributes?.identity)
      .filter((identity) => typeof identity === 'string')
      .map((identity) => Number.parseInt(identity, 10));
    return pids.filter((pid, i) => pid !== pids[i - 1]);
  }

  /** The plain `temporal workflow signal`, as anybody with the CLI would send it. */
  async signalByCli(workflowId: string, input: string): Promise<CommandResult> {
    const flags = {
      '--address': this.address,
      '--workflow-id': workflowId,
      '--name': signalNames.approval,
      '--input': JSON.stringify(input),
    };
    return runCommand(this.cliPath, ['workflow', 'signal', ...Object.entries(flags).flat()], {
      env: {},
      timeoutMs: patienceMs,
    });
  }

  /** From now on the run's clock jumps to whatever it waits for next. */
  async skipTime(runId: string): Promise<void> {
    await this.connection.workflowService.updateWorkflowExecutionOptions({
      namespace: 'default',
      workflowExecution: { workflowId: this.handle(runId).workflowId },
      workflowExecutionOptions: { timeSkippingConfig: { enabled: true } },
      updateMask: { paths: ['time_skipping_config'] },
    });
  }

  /** Every workflow that the server knows, with its whole history. */
  async *everything(): AsyncGenerator<{ info: WorkflowExecutionInfo; history: History }> {
    for await (const info of this.client.workflow.list()) {
      const history = await this.client.workflow.getHandle(info.workflowId, info.runId).fetchHistory();
      yield { info, history };
    }
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  private handle(runId: string) {
    return this.client.workflow.getHandle(refundWorkflowId('acme', runId));
  }
}
