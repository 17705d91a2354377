import type { Browser, Page } from 'playwright-core';
import type { ApprovalView } from '../../src/application/views';
import { agentScene, status } from '../agent/agentScene';
import { batchesOf, rowOf } from '../batches/batchFixture';
import { statement } from '../http/memoryBodies';
import { query } from '../support/database';
import type { TestStack } from '../support/stack';

interface Ground {
  readonly stack: () => TestStack;
  readonly as: (who: 'lead' | 'admin', options?: Parameters<Browser['newContext']>[0]) => Promise<Page>;
  readonly open: (amount: string) => Promise<ApprovalView>;
  readonly withoutScript: Parameters<Browser['newContext']>[0];
}

/** What operators order of runs, batches, books, policies and memory; over a stack that runs already. */
export function operatorOrders({ stack, as, open, withoutScript }: Ground): void {
  const ways = [
    ['with a script', {}, 'cus_seen'],
    ['without a script', withoutScript, 'cus_unseen'],
  ] as const;

  describe.each(ways)('in a browser, %s', (_way, options, owner) => {
    const press = async (page: Page, name: string, done: string) => {
      await page.getByRole('button', { name }).click();
      await page.waitForURL(`**?done=${done}`);
      await page.locator('.notice').waitFor();
    };
    const pressTwice = async (page: Page, name: string, done: string) => {
      await page.getByRole('button', { name }).click();
      await page.waitForSelector('body[data-kind="confirm"]');
      await page.click('button.main');
      await page.waitForURL(`**?done=${done}`);
    };

    test('R36: an agent run is answered, paused and told to go on', async () => {
      const { start, conversation, untilRun } = agentScene(stack());
      const { runId } = await start(await conversation('It never arrived.', owner), { ownerId: owner });
      await untilRun(runId, status('needs_review'));
      const page = await as('admin', options);
      await page.goto(`/agents/${runId}`);
      await page.fill('#text', `It was ${await stack().provider.charge(12_000)}.`);
      await press(page, 'Add it and go on', 'answer');
      await untilRun(runId, ({ stepStatuses }) => stepStatuses['await_refund'] === 'waiting');
      await page.goto(`/agents/${runId}`);
      await press(page, 'Pause before its next step', 'pause');
      await untilRun(runId, status('paused'));
      await page.goto(`/agents/${runId}`);
      await press(page, 'Go on at its next step', 'resume');
      await untilRun(runId, status('running'));
    });

    test('R36, R31: a batch is paused, goes on and is cancelled; a refund is cancelled', async () => {
      const batches = batchesOf(stack());
      const { batchId } = await batches.start([rowOf(await stack().provider.charge(10_000), '60.00')]);
      await batches.untilBatch(batchId, ({ approval }) => approval !== null);
      const page = await as('admin', options);
      await page.goto(`/batches/${batchId}`);
      await press(page, 'Pause: no further row starts', 'pause');
      await press(page, 'Go on with the next row', 'resume');
      await pressTwice(page, 'Cancel the batch…', 'cancel');
      await batches.untilBatch(batchId, ({ state }) => state === 'cancelled');

      const { runId, target } = await open('340.00');
      await page.goto(`/runs/${runId}`);
      await pressTwice(page, 'Cancel the refund…', '*');
      await stack().as('service').untilPhase(runId, 'cancelled');
      expect(await stack().provider.refunds(target)).toEqual([]);
    });

    test('books are compared, a policy is read against another one, and a memory is corrected', async () => {
      const page = await as('admin', options);
      await page.goto('/reconciliation');
      await press(page, 'Compare now', 'started');

      await query(
        stack().database.ownerUrl,
        `insert into policies (tenant, version, document, cedar, cases)
         select tenant, 'earlier-' || $1, document || '{"remindersHours": [23, 47]}', cedar, cases
         from policies where tenant = 'acme' order by published_at desc limit 1`,
        [owner],
      );
      await page.goto('/policies');
      await page.locator('main table a').first().click();
      await page.selectOption('[name="against"]', '2026-11-01');
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.waitForURL('**?against=2026-11-01');
      expect(await page.textContent('#changes-title')).toBe('What it changes of 2026-11-01');

      await stack().as('service').call('POST', '/v1/memories', statement(owner));
      await page.goto(`/people/${owner}/memory`);
      await page.locator('summary', { hasText: 'Correct' }).click();
      await page.locator('details[open] textarea').fill('Answer in Bengali.');
      await press(page, 'Correct', 'proposed');
    });
  });
}
