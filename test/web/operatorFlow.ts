import type { Browser, Page } from 'playwright-core';
import type { ApprovalView } from '../../src/application/views';
import { standardPlan } from '../../src/domain/agent/plan';
import { begun, planned, stepFailed, stepTaken } from '../../src/domain/agent/progress';
import { newAgentState, type AgentState } from '../../src/domain/agent/state';
import { query } from '../support/database';
import type { TestStack } from '../support/stack';
import { look } from './everyPage';
import { operatorOrders } from './operatorOrders';

interface Ground {
  readonly stack: () => TestStack;
  readonly as: (who: 'lead' | 'admin', options?: Parameters<Browser['newContext']>[0]) => Promise<Page>;
  readonly open: (amount: string) => Promise<ApprovalView>;
  readonly withoutScript: Parameters<Browser['newContext']>[0];
}

/** One that needs a person, with something of everything that its page shows. */
const agentRun = ((): AgentState => {
  const asked = {
    runId: `agr_${'5'.repeat(32)}`,
    tenantId: 'acme',
    conversationId: 'thr_seen',
    maxStepsPerRun: 5,
  };
  const state = planned(begun(newAgentState(asked)), standardPlan, 'rules');
  const amount = { value: '120.00', currency: 'USD' };
  const output = { paymentId: 'ch_3TheLongIdOfAPaymentThere', captured: amount, remaining: amount };
  const failure = { code: 'agent_needs_input', detail: 'the conversation names no amount' } as const;
  return stepFailed(stepTaken(state, 'look_up_order', output), 'gather_evidence', failure).state;
})();

/** Operators in a real browser; over a stack that runs already. */
export function operatorFlow({ stack, as, open, withoutScript }: Ground): void {
  const rows = (statement: string) => query(stack().database.adminUrl, statement);

  test('R31: a refund that needs a review is found, read and let fail without a script, and pays nothing', async () => {
    const approval = await open('310.00');
    await stack().provider.admin('POST', 'disputes', { charge: approval.target });
    await stack().as('reviewer1').decide(approval, 'approve');
    await stack().as('service').untilPhase(approval.runId, 'needs_review');
    const page = await as('lead', withoutScript);
    await page.getByRole('link', { name: 'Reviews' }).click();
    await page.locator(`a[href="/runs/${approval.runId}"]`).click();
    expect(await page.textContent('#waits')).toContain('A member of finance-lead who did not ask for it');
    await page.fill('#comment', 'the customer won at the bank');
    await page.click('button[value="fail"]');
    expect(await page.textContent('h1')).toBe('Let it fail: USD 310.00?');
    await page.click('button.main');
    expect(await page.textContent('.notice')).toContain('Done: the run ends as failed.');
    await stack().as('service').untilPhase(approval.runId, 'failed');
    const refunds = await stack().provider.stripe.refunds.list({ charge: approval.target });
    expect(refunds.data).toEqual([]);
    expect(await rows(`select actor, comment from review_orders where run_id = '${approval.runId}'`)).toEqual(
      [{ actor: 'lead', comment: 'the customer won at the bank' }],
    );
  });

  const newRun = async (page: Page, amount: string) => {
    const approval = await open(amount);
    const row = page.locator(`[data-row="${approval.runId}"]`);
    return { approval, row };
  };

  test('runs, one run and reviews are read with the keyboard, and what happens shows by itself and moves nothing', async () => {
    const reviewer = stack().as('reviewer1');
    const runs = await as('lead');
    const { approval, row } = await newRun(runs, '320.00');
    await runs.goto('/runs?phase=waiting_approval');
    await runs.keyboard.press('j');
    expect(await runs.evaluate('document.activeElement.textContent')).toBe('USD 320.00');
    const place = await row.boundingBox();
    const second = await newRun(runs, '330.00');
    await runs.locator('#news', { hasText: '1 new.' }).waitFor();
    await reviewer.decide(approval, 'reject');
    await row.getByText('No longer here').waitFor();
    expect(await row.boundingBox()).toEqual(place);
    await runs.keyboard.press('/');
    expect(await runs.evaluate('document.activeElement.name')).toBe('phase');
    await runs.keyboard.press('Escape');
    await runs.keyboard.press('?');
    expect(await runs.textContent('dialog[open]')).not.toContain('approve');
    await runs.keyboard.press('Escape');
    await runs.locator('#news').getByRole('link', { name: 'Show' }).click();
    for (const key of ['j', 'o']) await runs.keyboard.press(key);
    await runs.waitForURL(`**/runs/${second.approval.runId}`);

    const reviews = await as('lead');
    await reviews.goto('/reviews');
    const chart = await reviews.locator('#day-by-day').boundingBox();
    const headline = runs.locator('#headline', { hasText: 'needs a review' });
    const waits = await runs.locator('#asked').boundingBox();
    await stack().provider.admin('POST', 'disputes', { charge: second.approval.target });
    await reviewer.decide(second.approval, 'approve');
    await headline.waitFor();
    await runs.locator('#news', { hasText: 'Now: needs a review' }).waitFor();
    expect(await runs.locator('#asked').boundingBox()).toEqual(waits);
    await reviews.locator('#news', { hasText: '1 new.' }).waitFor();
    expect(await reviews.locator('#day-by-day').boundingBox()).toEqual(chart);
    // Now there is something to write: what comes then is told of.
    await runs.fill('#comment', 'half a thou');
    await stack()
      .as('lead')
      .call('POST', `/v1/refunds/${second.approval.runId}/review`, { action: 'fail', comment: 'seen' });
    await runs.locator('#news').getByRole('button', { name: 'Show it' }).click();
    expect(await runs.textContent('#headline')).toBe('failed');
    await reviews.locator('#news').getByRole('link', { name: 'Show' }).click();
    expect(await reviews.locator(`[data-row="${second.approval.runId}"]`).count()).toBe(0);
  });

  async function fill(): Promise<void> {
    await rows(`insert into runs (run_id, tenant, phase, requester, payment_id, currency, amount, customer, request, review)
      values ('run_seen', 'acme', 'needs_review', 'service', 'ch_seen', 'USD', 12000, 'cus_ada',
        '{"amount":{"minor":12000,"currency":"USD"},"reason":"damaged"}',
        '{"code":"payment_disputed","detail":"the payment is disputed","since":1,"round":1,"tried":["asked"],
          "actions":["retry","resolve_paid","fail"]}')
      on conflict do nothing`);
    await rows(`insert into agent_runs (run_id, tenant, fingerprint, requester, key_id, status, state)
      values ('${agentRun.runId}', 'acme', 'f', 'agent', 'k', 'needs_review', '${JSON.stringify(agentRun)}') on conflict do nothing`);
    await rows(`insert into agent_run_texts (run_id, tenant, owner, goal)
      values ('${agentRun.runId}', 'acme', 'cus_ada', 'See to this customer') on conflict do nothing`);
    await rows(`insert into batches (batch_id, tenant, kind, requester, approval, dry_run, state, rows, amount, currency, reason)
      values ('bat_seen', 'acme', 'refunds', 'service', 'manifest', false, 'running', 2, 36000, 'USD', 'damaged') on conflict do nothing`);
    await rows(`insert into batch_items (batch_id, row, tenant, state, code, detail) values
      ('bat_seen', 1, 'acme', 'ready', null, null), ('bat_seen', 2, 'acme', 'left_out', 'payment_unknown', 'no such payment')
      on conflict do nothing`);
    await rows(`insert into effects (key, tenant, run_id, step, request, state)
      values ('run_seen:issue_refund', 'acme', 'run_seen', 'issue_refund', 'r', 'unknown') on conflict do nothing`);
    await rows(`insert into reconciliations (id, tenant, requested_by, window_from, window_to)
      values ('rec_seen', 'acme', 'schedule', now(), now()) on conflict do nothing`);
    await rows(`insert into reconciliation_differences (id, tenant, kind, payment_id, reconciliation_id, ours, explanation, status)
      values ('dif_seen', 'acme', 'refund_missing', 'ch_seen', 'rec_seen', '{"status":"succeeded"}', 'not listed', 'open')
      on conflict do nothing`);
    await rows(`with d as (insert into memory_decisions
        (id, tenant, owner, kind, key, allowed, rule_ids, policy_version, reason, actor, actor_kind)
        values ('dec_ada', 'acme', 'cus_ada', 'semantic', 'language', true, '{r}', 'v', 'r', 'agent', 'agent')
        on conflict do nothing returning id)
      insert into memories (id, tenant, owner, kind, key, value, source, confidence, evidence, personal, version, decision_id, valid_from)
      select 'mem_ada', 'acme', 'cus_ada', 'semantic', 'language', 'Bengali', 'inferred', 0.8, '[]', false, 1, id, now() from d`);
  }

  test("operators' pages are without a violation too, with everything unfolded, and fit a phone", async () => {
    await fill();
    const paths: [Page, string[]][] = [
      [
        await as('admin'),
        [
          ...['/audit', '/people', '/people/cus_ada/memory', '/people/cus_ada/memory/mem_ada/history'],
          ...['/agents', `/agents/${agentRun.runId}`, '/batches', '/batches/bat_seen'],
        ],
      ],
      [
        await as('lead'),
        [
          '/runs',
          '/runs/run_seen',
          '/reviews',
          '/reconciliation',
          '/reconciliation/dif_seen',
          '/policies/2026-11-01',
        ],
      ],
    ];
    for (const [page, addresses] of paths) {
      for (const address of addresses) {
        await page.goto(address);
        await page.evaluate('for (const d of document.querySelectorAll("details")) d.open = true');
        await look(page, address);
      }
    }
  });

  test('what operators press besides runs does what it says, in a browser', async () => {
    await fill();
    const press = async (page: Page, name: string, done: string) => {
      await page.getByRole('button', { name }).click();
      await page.waitForURL(`**?done=${done}`);
      await page.locator('.notice').waitFor();
    };
    const lead = await as('lead', withoutScript);
    await lead.goto('/reconciliation/dif_seen');
    await lead.fill('textarea', 'booked by hand');
    await press(lead, 'Dismiss it', 'dismissed');
    await lead.goto('/preferences');
    await lead.selectOption('#timeZone', 'Asia/Dhaka');
    await press(lead, 'Keep', 'yes');
    await lead.goto('/reviews');
    expect(await lead.textContent('figcaption')).toContain('Days are those of Asia/Dhaka.');
    await lead.getByRole('button', { name: 'Sign out' }).click();
    await lead.waitForSelector('#token');

    const admin = await as('admin');
    await admin.goto('/people/cus_ada/memory');
    await admin.locator('summary', { hasText: 'uarantine' }).first().click();
    await press(admin, 'Put in quarantine', 'hold');
    await press(admin, 'Release', 'release');
    await admin.click('button.danger');
    await admin.waitForSelector('body[data-kind="confirm"]');
    expect(await admin.textContent('h1')).toBe('Forget this?');
    await admin.click('button.main');
    await admin.waitForURL('**?done=forgotten');
    await admin.goto('/audit');
    await admin.getByRole('button', { name: 'Verify the whole log' }).click();
    await admin.locator('.notice', { hasText: 'signed anchors were checked' }).waitFor();
    await look(admin, 'a log that was verified');
  });

  operatorOrders({ stack, as, open, withoutScript });
}
