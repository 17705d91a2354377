import { TestStack } from '../support/stack';
import { otherScenarios } from './otherScenarios';
import { scenarios } from './scenarios';
import { storeHistory } from './storedHistory';

/**
 * Records the histories of this release from real runs. Not a test of its own; run it before a release:
 * `npx jest --testMatch "<rootDir>/test/replay/record.ts"`. Those that are stored stay: with `-t` only new ones are recorded.
 */
describe('recording histories', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  test.each(Object.entries(scenarios))('%s', async (name, play) => {
    const runId = await play(stack);
    storeHistory(name, await stack.temporal.handle('acme', runId).fetchHistory());
  });

  test.each(Object.entries(otherScenarios))('%s', async (name, play) => {
    storeHistory(name, await (await play(stack)).fetchHistory());
  });
});
