import type { Page } from 'playwright-core';
import type { ApprovalView } from '../../src/application/views';
import type { TestStack } from '../support/stack';

interface Ground {
  /** A page of somebody who is signed in, with or without a script. */
  readonly page: (who: 'reviewer1' | 'reviewer2', options: { javaScriptEnabled?: boolean }) => Promise<Page>;
  readonly open: (amount: string, more?: Record<string, unknown>) => Promise<ApprovalView>;
  readonly now: (approval: ApprovalView) => Promise<ApprovalView>;
  readonly stack: () => TestStack;
}

/** Everything that is done on a page besides voting, as people click it; over a stack that runs already. */
export function everyDecision({ page: signedIn, open, now, stack }: Ground): void {
  const expires = async ({ runId }: ApprovalView) => {
    await stack().temporal.skipTime('acme', runId);
    await stack().as('service').untilPhase(runId, 'expired');
  };
  /** Something about reviewer1. */
  const remember = () =>
    stack().as('reviewer1').call('POST', '/v1/memories', {
      key: 'preference/language',
      value: 'Answer in Bengali.',
      kind: 'semantic',
      source: 'user_explicit',
      explicitUserRequest: true,
    });

  describe.each([
    ['with a script', {}],
    ['without one', { javaScriptEnabled: false }],
  ])('what people click, %s', (_kind, options) => {
    test('R25: asking, answering, claiming, handing over, taking back, escalating and commenting', async () => {
      const approval = await open('740.00', { onBehalfOf: 'reviewer2' });
      const [one, two] = [await signedIn('reviewer1', options), await signedIn('reviewer2', options)];
      const steps: [page: Page, decision: string, fill: (page: Page) => Promise<unknown>, says: string][] = [
        [one, 'request_info', (page) => page.fill('#comment', 'which lid?'), 'which lid?'],
        [two, 'answer_info', (page) => page.fill('#comment', 'the glass one'), 'the glass one'],
        [one, 'claim', nothing, 'claimed by'],
        [one, 'release', nothing, 'released it'],
        [one, 'delegate', (page) => page.selectOption('#to', 'lead'), 'handed the say over to lead'],
        [one, 'withdraw', nothing, 'took the vote back'],
        [one, 'escalate', nothing, 'approvers or finance-lead'],
        [one, 'comment', (page) => page.fill('#comment', 'done here'), 'done here'],
      ];
      for (const [page, decision, fill, says] of steps) {
        await page.goto(`/inbox/${approval.id}`);
        await fill(page);
        await page.locator(`button[value="${decision}"]:not(.unseen)`).click();
        await page.waitForURL(`**?done=${decision}`);
        expect([decision, await page.textContent('.notice')]).toEqual([
          decision,
          expect.stringContaining('Done: you'),
        ]);
        const shown = (await page.innerText('main')).replace(/\s+/g, ' ');
        expect(shown.toLowerCase()).toContain(says.toLowerCase());
      }
      expect((await now(approval)).timeline.map(({ decision }) => decision)).toEqual(
        steps.map(([, kind]) => kind),
      );
    });

    test('R25: one that expired meanwhile says so, and keeps what was typed', async () => {
      const approval = await open('750.00');
      const page = await signedIn('reviewer1', options);
      await page.goto(`/inbox/${approval.id}`);
      await page.fill('#comment', 'a comment that came too late');
      await expires(approval);
      await page.locator('button[value="reject"]:not(.unseen)').click();
      await page.locator('[role="alert"]', { hasText: 'Too late: the deadline was' }).waitFor();
      expect(await page.content()).toContain('a comment that came too late');
    });

    test('R47: what is remembered is corrected, and forgotten after a second question', async () => {
      await remember();
      const page = await signedIn('reviewer1', options);
      await page.goto('/memory');
      await page.locator('summary', { hasText: 'Correct' }).first().click();
      await page.locator('textarea').first().fill('Answer in English from now on.');
      await page.getByRole('button', { name: 'Correct' }).first().click();
      await page.getByText('Answer in English from now on.').first().waitFor();
      await page.locator('button.danger').first().click();
      await page.waitForSelector('body[data-kind="confirm"]');
      await page.click('button.main');
      await page.waitForURL('**/memory**');
      await page.locator('main', { hasNotText: 'Answer in English' }).waitFor();
    });
  });
}

const nothing = async () => undefined;
