import type { Page } from 'playwright-core';
import type { ApprovalView } from '../../src/application/views';
import type { TestStack } from '../support/stack';
import { look } from './everyPage';

interface Ground {
  readonly page: (who: 'reviewer1', options: { javaScriptEnabled?: boolean }) => Promise<Page>;
  readonly open: (amount: string, more?: Record<string, unknown>) => Promise<ApprovalView>;
  readonly now: (approval: ApprovalView) => Promise<ApprovalView>;
  readonly stack: () => TestStack;
}

/** Many approvals that are chosen of the list and decided together; over a stack that runs already. */
export function manyApprovals({ page: signedIn, open, now, stack }: Ground): void {
  const newest = '/inbox?sort=newest';
  const box = (page: Page, { id }: ApprovalView) => page.locator(`[data-row="${id}"] [name="chosen"]`);
  const raise = (approval: ApprovalView) =>
    stack()
      .as('reviewer2')
      .decide(approval, 'edit', { arguments: { amount: { value: '410.00', currency: 'USD' } } });

  describe('many approvals', () => {
    test('R21: are chosen and approved by keyboard alone; what changes meanwhile is not chosen any more', async () => {
      const all = [await open('120.00'), await open('130.00')];
      const edited = await open('140.00');
      const page = await signedIn('reviewer1', {});
      await page.goto(newest);
      for (const _row of [edited, ...all]) for (const key of ['j', 'x']) await page.keyboard.press(key);
      expect(await page.textContent('#chosen-count')).toBe('3 chosen');
      await raise(edited);
      await page.locator('#chosen-count', { hasText: '2 chosen' }).waitFor();
      await page.keyboard.press('A');
      await page.waitForSelector('body[data-kind="confirm"]');
      expect(await page.textContent('h1')).toBe('Approve 2 for USD 250.00?');
      expect(await page.textContent('#totals')).toContain(
        'Yours is the last vote for 2: USD 250.00 will be sent.',
      );
      for (const { proposalHash, target } of all) {
        expect(await page.content()).toContain(proposalHash);
        expect(await page.textContent('main table')).toContain(target);
      }
      await page.keyboard.press('m');
      await page.keyboard.type('lot 7, Axr');
      for (const key of ['Tab', 'Enter']) await page.keyboard.press(key);
      await page.locator('h1', { hasText: '2 of 2 approved' }).waitFor();
      for (const approval of all) {
        const { status, timeline } = await now(approval);
        expect([status, timeline.at(-1)?.comment]).toEqual(['approved', 'lot 7, Axr']);
      }
    });

    test.each([
      ['with a script that hears no news', {}],
      ['without a script', { javaScriptEnabled: false }],
    ])('R21: %s, what changed on the way is named and never decided', async (_kind, options) => {
      const [good, edited, late] = [await open('400.00'), await open('401.00'), await open('402.00')];
      const mine = await open('403.00', { onBehalfOf: 'reviewer1' });
      const page = await signedIn('reviewer1', options);
      const scripted = !('javaScriptEnabled' in options);
      await page.route('**/inbox/events*', (route) => route.abort());
      await page.goto(newest);
      expect(await box(page, mine).isDisabled()).toBe(true);
      expect(await page.textContent(`[data-row="${mine.id}"]`)).toContain('not for you');
      for (const approval of [good, edited, late]) await box(page, approval).check();
      if (scripted) await look(page, 'choosing');
      await raise(edited);
      await page.click('#choose button[value="approve"]');
      await page.locator('h1', { hasText: 'Approve 2 for USD 802.00?' }).waitFor();
      const leftOut = page.locator('#left-out li');
      expect(await leftOut.allTextContents()).toEqual([
        expect.stringMatching(/^USD 401.00 USD 410.00: It has changed since/),
      ]);
      if (scripted) await look(page, 'confirming many');
      await stack().as('lead').decide(late, 'reject');
      await page.fill('#comment', 'both seen');
      await page.click('button.main');
      await page.locator('h1', { hasText: '1 of 2 approved' }).waitFor();
      expect((await page.locator('main tbody td').allTextContents()).sort()).toEqual([
        'Approved: the money is being sent.',
        'Not decided. This approval was rejected already by lead.',
      ]);
      if (scripted) await look(page, 'decided many');
      else await page.reload();
      expect((await now(good)).timeline.map(({ comment }) => comment)).toEqual(['both seen']);
      expect([(await now(edited)).status, (await now(edited)).votes]).toEqual(['open', []]);
    });
  });
}
