import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { quietRuntime } from './quietRuntime';
import { otherScenarios } from './otherScenarios';
import { scenarios } from './scenarios';
import { bundleOf, releaseFolder, storedHistories, wordsOf, type StoredHistory } from './storedHistory';

const stored = storedHistories();
const named = stored.map((history) => [`${history.release}/${history.name}`, history] as const);

/** What replay says of one history, undefined when it fits. */
async function mismatch(bundle: { code: string }, { name, history }: StoredHistory): Promise<unknown> {
  try {
    await Worker.runReplayHistory({ workflowBundle: bundle, replayName: name }, history, `replay/${name}`);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('stored histories of every release', () => {
  let current: { code: string };
  beforeAll(async () => {
    quietRuntime();
    current = await bundleOf();
  });

  test('R33: every way that the story of each workflow can go is stored for this release', () => {
    const recorded = stored.filter(({ release }) => release === releaseFolder).map(({ name }) => name);
    expect(recorded.sort()).toEqual(Object.keys({ ...scenarios, ...otherScenarios }).sort());
  });

  test.each(named)('R33: %s replays on the current code', async (_name, history) => {
    expect(await mismatch(current, history)).toBeUndefined();
  });

  test('R33: a later release that marks its change replays all of them too', async () => {
    const next = await bundleOf(join(__dirname, 'controls', 'nextRelease.ts'));
    for (const history of stored) expect(await mismatch(next, history)).toBeUndefined();
  });

  test('R33: control: a workflow that was changed without a marker is found out by every stored history', async () => {
    const changed = await bundleOf(join(__dirname, 'controls', 'changedWorkflow.ts'));
    for (const history of stored) {
      expect(await mismatch(changed, history)).toBeInstanceOf(DeterminismViolationError);
    }
  });

  test('R39: the stored histories hold no host, no path, no token and no key', () => {
    const telling = /node_modules|\/home\/|\/tmp\/|\d@\w|sk_test|cs_acme/g;
    expect(stored.flatMap(({ history }) => wordsOf(history).match(telling) ?? [])).toEqual([]);
  });
});
