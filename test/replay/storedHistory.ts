import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { temporal } from '@temporalio/proto';
import { packageRoot, version } from '../../src/main/version';

const { History } = temporal.api.history.v1;
type HistoryMessage = temporal.api.history.v1.IHistory;

const folder = join(__dirname, 'histories');

/** `0.1.7` stores under `v0.1`: the histories of a release stay, and must replay on every later one (R33). */
export const releaseFolder = `v${version.split('.').slice(0, 2).join('.')}`;

export interface StoredHistory {
  readonly release: string;
  readonly name: string;
  readonly history: HistoryMessage;
}

export function storedHistories(): StoredHistory[] {
  return readdirSync(folder).flatMap((release) =>
    readdirSync(join(folder, release)).map((file) => ({
      release,
      name: file.replace(/\.json$/, ''),
      history: History.fromObject(JSON.parse(readFileSync(join(folder, release, file), 'utf8'))),
    })),
  );
}

/** Without what only the machine that recorded it has: process and host names, stack traces with paths. */
export function storeHistory(name: string, history: HistoryMessage): void {
  const text = JSON.stringify(
    history,
    (key, value: unknown) => {
      if (key === 'stackTrace') return undefined;
      if (key === 'identity') return 'recorder';
      return typeof value === 'string' && stickyQueue.test(value) ? 'recorder-sticky' : value;
    },
    1,
  );
  mkdirSync(join(folder, releaseFolder), { recursive: true });
  writeFileSync(join(folder, releaseFolder, `${name}.json`), `${text}\n`);
}

/** Named by the SDK after process and host. */
const stickyQueue = /^\d+@.+-[0-9a-f]{32}$/;

/** All that a stored history says, payloads decoded. */
export function wordsOf(history: HistoryMessage): string {
  const payloads: string[] = [];
  const json = JSON.stringify(history, (key, value: unknown) => {
    if (key === 'data' && typeof value === 'string') payloads.push(Buffer.from(value, 'base64').toString());
    return value;
  });
  return [json, ...payloads].join('\n');
}

/** A workflow bundle of the source as it is now. `entry` exports the workflows. */
export async function bundleOf(
  entry = join(packageRoot, 'workflows', 'index.ts'),
): Promise<{ code: string }> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: entry,
    payloadConverterPath: join(packageRoot, 'workflows', 'payloadConverter.ts'),
    logger: new DefaultLogger('ERROR'),
  });
  return { code };
}
