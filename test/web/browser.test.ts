import type { Browser, Page } from 'playwright-core';
import type { ApprovalView } from '../../src/application/views';
import { launchChromium, visit, type Visiting } from '../support/browser';
import { query } from '../support/database';
import { until } from '../support/processes';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { violations } from './axe';
import { everyDecision } from './everyDecision';
import { everyPage } from './everyPage';
import { manyApprovals } from './manyApprovals';
import { operatorFlow } from './operatorFlow';

let stack: TestStack;
let browser: Browser;
const visits: Visiting[] = [];

async function as(
  who: 'reviewer1' | 'reviewer2' | 'lead' | 'admin',
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Page> {
  const visiting = await visit(browser, stack.apiUrl, testTokens.acme[who], options);
  visits.push(visiting);
  return visiting.page;
}

async function open(amount: string, more: Record<string, unknown> = {}): Promise<ApprovalView> {
  const paymentId = await stack.provider.charge(1_000_000);
  return stack.as('service').openApproval({ paymentId, amount, ...more });
}
const now = ({ id }: { id: string }) => stack.as('lead').approval(id);
const row = (page: Page, { id }: { id: string }) => page.locator(`[data-row="${id}"]`);
const withoutScript = { javaScriptEnabled: false };
const ends = (statement: string) => query(stack.database.adminUrl, statement);

beforeAll(async () => {
  [stack, browser] = await Promise.all([TestStack.start(), launchChromium()]);
});
afterAll(async () => {
  await browser.close();
  await stack.stop();
});
afterEach(async () => {
  // Nothing that a page did was against its own policy, and no script failed.
  for (const { complaints, context } of visits.splice(0)) {
    expect(complaints).toEqual([]);
    await context.close();
  }
});

describe('by keyboard alone', () => {
  test('an approval is edited and approved from the list in fewer than 20 key presses, and pays exactly that', async () => {
    const approval = await open('120.00');
    const page = await as('reviewer1');
    let presses = 0;
    const press = async (...keys: string[]) => {
      for (const key of keys) {
        presses += 1;
        await page.keyboard.press(key);
      }
    };
    await press('j', 'Enter');
    await page.waitForURL(`**/inbox/${approval.id}`);
    await press('e', ...'90.50');
    expect(await page.textContent('#amount-hint')).toContain('your change counts as your vote');
    await press('Enter');
    await page.waitForSelector('body[data-kind="confirm"]');
    expect(await page.textContent('h1')).toBe('Change to USD 90.50?');
    await press('Enter');
    await page.waitForURL('**?done=edit');
    expect(presses).toBeLessThan(20);
    const { executed } = await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(executed?.amount).toEqual({ value: '90.50', currency: 'USD' });
  });

  test('one that somebody else has edited is read and approved; letters mean nothing while somebody types', async () => {
    const approval = await open('130.00');
    await stack
      .as('reviewer2')
      .decide(approval, 'edit', { arguments: { amount: { value: '140.00', currency: 'USD' } } });
    const page = await as('reviewer1');
    for (const key of ['j', 'a']) await page.keyboard.press(key);
    await page.waitForURL(`**/inbox/${approval.id}#approve`);
    expect(await page.textContent('article')).toContain('USD 130.00 USD 140.00');
    await page.keyboard.press('m');
    await page.keyboard.type('a rare case, jkeu');
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await page.waitForSelector('body[data-kind="confirm"]');
    expect((await now(approval)).status).toBe('open');
    await page.keyboard.press('Enter');
    await page.waitForURL('**?done=approve');
    const { timeline, status } = await now(approval);
    expect([status, timeline.at(-1)?.comment]).toEqual(['approved', 'a rare case, jkeu']);
  });

  test('the help says the keys, and they can be switched off', async () => {
    await open('60.00');
    const page = await as('reviewer1');
    await page.keyboard.press('?');
    await page.uncheck('#keys-on');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    expect(await page.evaluate('document.activeElement.matches("[data-open]")')).toBe(false);
  });
});

describe('without a script', () => {
  test('an approval is approved, another one edited, a third rejected with its reason', async () => {
    const page = await as('reviewer1', withoutScript);
    for (const [decision, amount, status] of [
      ['approve', '150.00', 'approved'],
      ['edit', '160.00', 'approved'],
      ['reject', '170.00', 'rejected'],
    ] as const) {
      const approval = await open(amount);
      await page.goto('/inbox?sort=newest');
      await row(page, approval).getByRole('link').click();
      await page.fill('#comment', `by hand: ${decision}`);
      if (decision === 'edit') await page.fill('#amount', '16.00');
      if (decision === 'reject') await page.selectOption('#reasonCode', 'wrong_amount');
      await page.click(`button[value="${decision}"]:not(.unseen)`);
      if (decision !== 'reject') await page.click('button.main');
      expect(await page.textContent('.notice')).toContain('Done: you');
      const after = await now(approval);
      expect([after.status, after.timeline.at(-1)?.comment]).toEqual([status, `by hand: ${decision}`]);
      if (decision === 'edit') expect(after.arguments).toMatchObject({ amount: { value: '16.00' } });
    }
  });
});

describe.each([
  ['with a script', {}],
  ['without one', withoutScript],
])('what is typed is not lost, %s', (kind, options) => {
  test('when the session ends meanwhile', async () => {
    const approval = await open('180.00');
    const page = await as('reviewer1', options);
    await page.goto(`/inbox/${approval.id}`);
    await page.fill('#comment', 'a long and careful comment');
    await ends('delete from web_sessions');
    await page.click('button[value="reject"]');
    await page.waitForSelector('#token');
    expect(await page.textContent('main')).toContain('a long and careful comment');
    await page.fill('#token', testTokens.acme.reviewer1 ?? '');
    await page.press('#token', 'Enter');
    await page.waitForSelector('#decide');
    expect(await page.textContent('.notice')).toContain('Nothing was sent yet');
    expect((await now(approval)).status).toBe('open');
    expect(await page.inputValue('#comment')).toBe('a long and careful comment');
    await page.click('button[value="reject"]');
    await page.waitForURL('**?done=reject');
    expect((await now(approval)).timeline.at(-1)?.comment).toBe('a long and careful comment');
  });

  test('R26: when the API dies in the middle of a decision, which then counts once', async () => {
    const approval = await open('190.00');
    const page = await as('reviewer1', options);
    await page.goto(`/inbox/${approval.id}`);
    await page.fill('#comment', 'said before it died');
    await page.click('#approve');
    await page.waitForSelector('body[data-kind="confirm"]');
    // No worker answers, so the API is still at it when it is killed.
    await stack.killWorkers();
    const sent = page.click('button.main').catch(() => undefined);
    await until(
      async () => (await ends(`select 1 from decisions where approval_id = '${approval.id}'`)).length === 1,
    );
    await stack.api.kill('SIGKILL');
    await sent;
    if (kind === 'without one') await page.waitForURL('chrome-error://**').catch(() => undefined);
    else await page.locator('#connection', { hasText: 'does not answer' }).waitFor();
    await Promise.all([stack.startApi(), stack.startWorker()]);
    if (kind === 'without one') await page.reload();
    else await page.click('button.main');
    await page.waitForURL('**?done=*');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    const { timeline } = await now(approval);
    expect(timeline.map(({ decision, comment }) => [decision, comment])).toEqual([
      ['approve', 'said before it died'],
    ]);
  });
});

describe('live', () => {
  test('what opens, changes and is decided elsewhere shows by itself, and moves nothing', async () => {
    const [first, second] = [await open('210.00'), await open('220.00')];
    const page = await as('reviewer1');
    const place = await row(page, first).boundingBox();
    const third = await open('230.00');
    await row(page, third).waitFor();
    await stack.as('reviewer2').decide(second, 'claim');
    await row(page, second).getByText('claimed by reviewer2').waitFor();
    await stack.as('lead').decide(second, 'reject');
    await row(page, second).getByText('No longer waiting').waitFor();
    expect(await row(page, first).boundingBox()).toEqual(place);
    const { open: waiting } = (await stack.as('reviewer1').call('GET', '/v1/approvals/counts')).body as {
      open: number;
    };
    expect(await page.title()).toBe(`(${waiting}) Approvals · Countersign`);
  });

  test('R28: what happened while the API was away is not missed when it is back', async () => {
    const first = await open('240.00');
    const [page, runs] = [await as('reviewer1'), await as('lead')];
    await Promise.all([row(page, first).waitFor(), runs.goto('/runs')]);
    await stack.killWorkers();
    const asked = { paymentId: await stack.provider.charge(1_000_000), amount: '250.00' };
    const { runId } = (await stack.as('service').startRefund(asked)).body as { runId: string };
    await stack.api.kill('SIGKILL');
    await page.locator('#connection', { hasText: 'Connection lost' }).waitFor();
    // Opened by a worker alone: no API is there to tell of it.
    await stack.startWorker();
    await until(async () => (await ends(`select 1 from approvals where run_id = '${runId}'`)).length > 0);
    await stack.startApi();
    await row(page, { id: runId.replace('run_', 'apr_') }).waitFor();
    const [quiet, told] = [page.locator('#connection', { hasText: /^$/ }), runs.locator('#news')];
    await Promise.all([quiet.waitFor(), told.getByText('1 new.').waitFor()]);
  });

  test('R21: two reviewers at once: the second is told while typing, and decides on what is there then', async () => {
    const approval = await open('260.00');
    const page = await as('reviewer1');
    await page.goto(`/inbox/${approval.id}`);
    await page.fill('#comment', 'half a thou');
    const change = { arguments: { amount: { value: '270.00', currency: 'USD' } } };
    await stack.as('reviewer2').decide(approval, 'edit', change);
    await page.locator('#news', { hasText: 'This has changed. Now: Waiting, revision 2' }).waitFor();
    expect(await page.textContent('h1')).toBe('Refund USD 260.00');
    await page.click('#approve');
    expect(await page.textContent('[role="alert"]')).toContain('Amount: USD 260.00 USD 270.00');
    expect(await page.inputValue('#comment')).toBe('half a thou');
    await stack.as('lead').decide(await now(approval), 'claim');
    await page.locator('#news').getByRole('button', { name: 'Show it' }).click();
    expect(await page.inputValue('#comment')).toBe('half a thou');
    expect(await page.textContent('article')).toContain('by lead until');
  });

  test('an amount is judged while it is typed', async () => {
    const page = await as('reviewer1');
    await page.goto(`/inbox/${(await open('280.00')).id}`);
    for (const [typed, says] of [
      ['1,5', 'point before the decimals'],
      ['1.234', 'At most 2 decimals'],
      ['10000.01', 'At most 10000.00 USD remain'],
      ['0.00', 'More than zero'],
      ['281', 'somebody else must approve'],
      ['279.99', 'counts as your vote'],
    ] as const) {
      await page.fill('#amount', typed);
      expect(await page.textContent('fieldset#edit')).toContain(says);
    }
  });
});

everyPage({ page: () => as('reviewer1'), open, asOwner: ends });
everyDecision({ page: as, open, now, stack: () => stack });
manyApprovals({ page: as, open, now, stack: () => stack });
operatorFlow({ stack: () => stack, as, open, withoutScript });
