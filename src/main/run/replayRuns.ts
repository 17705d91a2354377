import type { TemporalSettings } from '../../adapters/temporal/connection';
import { historyFromJson } from '../../adapters/temporal/historyJson';
import type { ExecutionHistory } from '../../adapters/temporal/pastExecutions';
import { quietRuntime, replay, type Replayed } from '../../adapters/temporal/replay';
import { encryptedWorkflowBundle, workflowBundle } from '../version';
import type { RunArchive } from './archive';

export type { Replayed };

export interface ReplayReport {
  readonly ok: boolean;
  readonly replayed: number;
  readonly differ: number;
  readonly failed: number;
  /** Every execution; of many, those that are not ok. */
  readonly executions: readonly Replayed[];
}

/**
 * Replays histories against the workflows of this build, which no worker has to run yet.
 * @param told of each as it is done
 * @param keep whether those that are fine are in the report
 */
export async function replayRuns(
  { encryptionKeys }: Pick<TemporalSettings, 'encryptionKeys'>,
  histories: AsyncIterable<ExecutionHistory> | Iterable<ExecutionHistory>,
  told: (replayed: Replayed, count: number) => void = () => undefined,
  keep: (replayed: Replayed) => boolean = () => true,
): Promise<ReplayReport> {
  quietRuntime();
  const executions: Replayed[] = [];
  const counts = { ok: 0, differs: 0, failed: 0 };
  let replayed = 0;
  const bundle = encryptionKeys ? encryptedWorkflowBundle : workflowBundle;
  for await (const one of replay(bundle, encryptionKeys ? { encryptionKeys } : {}, histories)) {
    replayed += 1;
    counts[one.outcome] += 1;
    if (keep(one)) executions.push(one);
    told(one, replayed);
  }
  const { differs: differ, failed } = counts;
  return { ok: differ + failed === 0, replayed, differ, failed, executions };
}

/** @throws Error for an archive whose histories can't be read */
export function historiesOf({ manifest, texts }: RunArchive): ExecutionHistory[] {
  return manifest.histories.map(({ file, workflowId, runId }) => ({
    workflowId,
    runId,
    history: historyFromJson(JSON.parse(texts.get(file) ?? 'null')),
  }));
}
