import { once } from 'node:events';
import { readFileSync, createWriteStream } from 'node:fs';
import type { Command } from 'commander';
import type { Replayed, ReplayReport } from '../main/run/replayRuns';
import { callsApi, connect, settingsOfCommand, type ConnectionOptions } from './connection';
import { UsageError } from './failure';
import { answer, example, remark } from './output';
import { checked, temporalOfCommand, workflowIdOf } from './runTemporal';
import { table } from './terminal/table';

interface ReplayOptions extends ConnectionOptions {
  readonly allOpen?: boolean;
  readonly tenant?: string;
  readonly file?: string;
}

interface ExportOptions extends ConnectionOptions {
  readonly out: string;
  readonly decode?: boolean;
}

/** How often progress is told, in executions. */
const progressEvery = 100;

/** `countersign run replay` and `countersign run export` */
export function addReplayCommands(run: Command): void {
  callsApi(
    run
      .command('replay')
      .description(
        'check that histories still fit the workflows of this build, as before a deploy; exits 1 when one does not',
      )
      .argument(
        '[run]',
        'an id of a refund, batch or agent run, or a whole workflow id such as refund/acme/run_7f3a',
      )
      .option('--all-open', 'every workflow that has not ended')
      .option('--tenant <tenant>', 'of this tenant; for a run id, whose it is (COUNTERSIGN_TENANT)')
      .option('--file <archive>', 'what countersign run export has written, without any connection'),
  )
    .addHelpText(
      'after',
      `${example('run replay --all-open', 'run replay run_7f3a --tenant acme', 'run replay --file run_7f3a.zip')}
It reads from Temporal (TEMPORAL_ADDRESS and what goes with it), changes nothing, and needs no worker. Encrypted
histories need COUNTERSIGN_ENCRYPTION_KEYS.
`,
    )
    .action(replay);

  callsApi(
    run
      .command('export')
      .description(
        'histories, audit rows with their proof, and views of a run, as one file; administrators and auditors',
      )
      .argument('<runId>', 'a refund, a batch or an agent run')
      .requiredOption('--out <path>', 'the file to write, which must not be there')
      .option(
        '--decode',
        'with encrypted payloads opened, by an administrator; without it they stay ciphertext',
      ),
  )
    .addHelpText(
      'after',
      `${example('run export run_7f3a --out run_7f3a.zip --as acme/admin', 'audit verify --file run_7f3a.zip', 'run replay --file run_7f3a.zip')}
Besides the API it reads from Temporal (TEMPORAL_ADDRESS and what goes with it).
`,
    )
    .action(exportToFile);
}

async function replay(run: string | undefined, options: ReplayOptions): Promise<void> {
  const { allOpen, file, json } = options;
  if ([run, allOpen, file].filter((asked) => asked !== undefined).length !== 1)
    throw new UsageError('say what to replay: one run, --all-open, or --file');
  const report = await (file === undefined ? fromTemporal(run, options) : fromFile(file));
  answer(json, report, () => reportText(report, allOpen === true));
  if (!report.ok) process.exitCode = 1;
}

async function fromTemporal(run: string | undefined, options: ReplayOptions): Promise<ReplayReport> {
  const temporal = temporalOfCommand();
  const workflowId = run === undefined ? undefined : await workflowIdGiven(run, options);
  const { withExecutions } = await import('../main/run/withExecutions.js');
  const { replayRuns } = await import('../main/run/replayRuns.js');
  const report = await withExecutions(temporal, (executions) =>
    workflowId === undefined
      ? replayRuns(
          temporal,
          executions.open(options.tenant),
          (_one, count) => {
            if (count % progressEvery === 0) remark(options.json, `${count} replayed …`);
          },
          ({ outcome }) => outcome !== 'ok',
        )
      : replayRuns(temporal, executions.of(workflowId)),
  );
  if (workflowId === undefined || report.replayed > 0) return report;
  const { CountersignError } = await import('../domain/errors.js');
  throw new CountersignError(
    'not_found',
    `Temporal has no history of ${workflowId}: it is of another tenant or namespace, or retention has taken it`,
  );
}

/** The tenant of a run id is said, or is that of whoever acts. */
async function workflowIdGiven(run: string, options: ReplayOptions): Promise<string> {
  if (run.includes('/')) return checked(run);
  const tenant = options.tenant ?? settingsOfCommand().COUNTERSIGN_TENANT;
  return workflowIdOf(tenant ?? (await connect(options).self.show()).tenant, run);
}

async function fromFile(path: string): Promise<ReplayReport> {
  const { unpackArchive } = await import('../main/run/archive.js');
  const { historiesOf, replayRuns } = await import('../main/run/replayRuns.js');
  const { COUNTERSIGN_ENCRYPTION_KEYS: encryptionKeys } = settingsOfCommand();
  let histories;
  try {
    histories = historiesOf(unpackArchive(readFileSync(path)));
  } catch (error) {
    throw new UsageError(`--file: ${error instanceof Error ? error.message : String(error)}`);
  }
  return replayRuns(encryptionKeys ? { encryptionKeys } : {}, histories);
}

async function exportToFile(runId: string, options: ExportOptions): Promise<void> {
  const temporal = temporalOfCommand();
  const { out, decode = false, json } = options;
  const { exportRun } = await import('../main/run/exportRun.js');
  const { content, ...exported } = await exportRun(connect(options), temporal, checked(runId), decode);
  await writeNew(out, content);
  answer(
    json,
    { runId, file: out, bytes: content.length, ...exported },
    () => `${exported.rows} audit rows and ${exported.executions} histories of ${runId} are in ${out}
${exported.sealed === 0 ? '' : `${exported.sealed} payloads in it are ciphertext\n`}
Verify it: countersign audit verify --file ${out}
Replay it: countersign run replay --file ${out}
`,
  );
}

/** @throws UsageError where there is a file already, or none can be */
async function writeNew(path: string, content: Uint8Array): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  try {
    file.end(content);
    await once(file, 'finish');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`--out: ${code === 'EEXIST' ? `${path} is there already` : message}`);
  }
}

function reportText({ ok, replayed, differ, failed, executions }: ReplayReport, brief: boolean): string {
  const verdict = ok
    ? `${replayed} replayed: all fit the workflows of this build.\n`
    : `${replayed} replayed: ${differ} differ, ${failed} could not be replayed. Do not deploy this build: mark the change with patched().\n`;
  if (executions.length === 0 || (brief && ok)) return verdict;
  return `${table(executions, [
    { title: 'WORKFLOW', of: ({ workflowId }) => workflowId },
    { title: 'EXECUTION', of: ({ runId }) => runId, optional: true },
    { title: 'EVENTS', of: ({ events }) => String(events) },
    { title: 'REPLAY', of: ({ outcome }: Replayed) => outcome },
    { title: 'WHY', of: ({ detail }) => detail ?? '', optional: true, cut: true },
  ])}\n${verdict}`;
}
