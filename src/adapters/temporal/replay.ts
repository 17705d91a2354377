import { DefaultLogger, makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { dataConverterFor, type TemporalSettings } from './connection';
import type { ExecutionHistory } from './pastExecutions';

export interface Replayed {
  readonly workflowId: string;
  readonly runId: string;
  readonly events: number;
  /** `differs`: the code does something else than the history has. `failed`: it could not be tried. */
  readonly outcome: 'ok' | 'differs' | 'failed';
  /** What differs, or why it failed. */
  readonly detail: string | null;
}

/** A process that replays tells what it finds by itself: what a worker would log is kept quiet. Once, before the first replay. */
export function quietRuntime(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }), forward: {} } },
  });
}

/**
 * Runs each history through the workflows of a bundle, one after the other, and compares what they would do with what
 * was done. Nothing is executed: no activity runs, and Temporal is not told.
 */
export async function* replay(
  workflowBundle: string,
  { encryptionKeys }: Pick<TemporalSettings, 'encryptionKeys'>,
  histories: AsyncIterable<ExecutionHistory> | Iterable<ExecutionHistory>,
): AsyncGenerator<Replayed> {
  let current: ExecutionHistory | undefined;
  async function* noting() {
    for await (const execution of histories) {
      current = execution;
      yield execution;
    }
  }
  const converter = encryptionKeys === undefined ? {} : { encryptionKeys };
  const options = {
    workflowBundle: { codePath: workflowBundle },
    dataConverter: dataConverterFor(converter),
    replayName: 'countersign-replay',
  };
  for await (const { workflowId, error } of Worker.runReplayHistories(options, noting())) {
    const outcome = error ? (error instanceof DeterminismViolationError ? 'differs' : 'failed') : 'ok';
    yield {
      workflowId,
      runId: current?.runId ?? '',
      events: current?.history.events?.length ?? 0,
      outcome,
      detail: error ? error.message.replace(/^.*?Details: /s, '') : null,
    };
  }
}
