import type { ApprovalView } from '../../src/application/views';
import { query } from '../support/database';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { handleWithoutScript } from './handling';
import { manyForms } from './manyForms';
import { formOf, press, sure, Visitor } from './visitor';

type Reviewer = 'reviewer1' | 'reviewer2' | 'lead';

let stack: TestStack;
let one: Visitor;
let two: Visitor;
let lead: Visitor;
let foreign: Visitor;
let teapot: ApprovalView;

const signedIn = (who: Reviewer, tenant: 'acme' | 'globex' = 'acme') =>
  Visitor.signedIn(stack.apiUrl, testTokens[tenant][who]);

async function open(amount: string, more: Record<string, unknown> = {}): Promise<ApprovalView> {
  const { customer, ...fields } = more as { customer?: string };
  const paymentId = await stack.provider.charge(1_000_000, 'usd', customer === undefined ? {} : { customer });
  return stack.as('service').openApproval({ paymentId, amount, ...fields });
}

const statusOf = async ({ id }: { id: string }) => (await stack.as('reviewer1').approval(id)).status;

beforeAll(async () => {
  stack = await TestStack.start({ env: { COUNTERSIGN_TEMPORAL_UI_URL: 'http://temporal.example/ui' } });
  [one, two, lead, foreign] = await Promise.all([
    signedIn('reviewer1'),
    signedIn('reviewer2'),
    signedIn('lead'),
    signedIn('reviewer1', 'globex'),
  ]);
  teapot = await open('120.00', {
    customer: 'cus_pages',
    note: 'a <b>broken</b> teapot',
    evidence: [
      { label: 'photo', url: 'https://example.com/p.jpg', text: 'lid "cracked"' },
      'javascript:alert(1)',
    ],
  });
  await open('80.00', { customer: 'cus_pages' });
});
afterAll(() => stack.stop());

describe('the list', () => {
  test('shows amount, customer, votes, age, deadline and what to stop at, and counts what waits in the title', async () => {
    const { html, text } = await one.get('/inbox');
    expect(html).toContain('<title>(2) Approvals · Countersign</title>');
    expect(text).toMatch(/USD 120\.00 .*cus_pages 0 of 1 .* in 7[12] h/);
    expect(text).toContain('Several together');
    expect(text).toContain('2 waiting 0 due within 24 h 0 claimed by you 2 for approvers');
  });

  test('is filtered, searched and sorted by its address, and pages go on where the last one ended', async () => {
    expect((await one.get('/inbox?q=teapot')).text).not.toContain('USD 80.00');
    expect((await one.get('/inbox?risk=aggregate')).text).not.toContain('USD 120.00');
    const first = await one.get('/inbox?sort=amount&currency=USD&limit=1');
    expect(first.text).toContain('USD 120.00');
    const next = /<a rel="next" href="([^"]*)"/.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await one.get(next);
    expect([second.text.includes('USD 80.00'), second.text.includes('USD 120.00')]).toEqual([true, false]);
    expect((await one.get('/inbox?q=nothing')).text).toContain('Nothing fits these filters');
    expect((await foreign.get('/inbox')).text).toContain('Nothing waits for a decision');
  });

  test('R41: a filter that can not be read says why, and keeps what was typed', async () => {
    const wrong = await one.get('/inbox?min_amount=1,50&currency=USD&q=%22%3E%3Cscript%3E');
    expect([wrong.status, wrong.html.includes('value="1,50"')]).toEqual([422, true]);
    expect(wrong.html).toContain('role="alert"');
    expect(wrong.html).not.toContain('<script>');
  });
});

describe('one approval', () => {
  test('R55: shows what would happen, why, what holds it, the evidence, who is still needed, and what else was refunded', async () => {
    await stack.as('admin').call('POST', '/v1/brake', { engaged: true, reason: 'a drill' });
    expect((await one.get('/inbox')).text).toContain('of this tenant is pulled: a drill');
    const { html, text } = await one.get(`/inbox/${teapot.id}`);
    expect(text).toContain('of this tenant is pulled: a drill');
    await stack.as('admin').call('POST', '/v1/brake', { engaged: false, reason: 'over' });
    expect(text).toMatch(
      /Before this Payment 0 other refunds, USD 0\.00; 0 rejected, paid 0 h before Customer /,
    );
    expect(text).toMatch(/Waiting: 0 of 1 vote\. .*Why a person decides One approver must agree/);
    expect(text).toContain('1 more from approvers. Others who can: Finance lead, Reviewer Two.');
    expect(text).toMatch(/USD 80\.00 , waiting approval, same customer/);
    expect(text).toContain('Yours is the last vote that is needed.');
    expect(html).toContain(
      `http://temporal.example/ui/namespaces/${stack.temporal.namespace}/workflows/refund%2Facme`,
    );
    expect(html).toMatch(/<time datetime="2\d{3}-[\dT:.-]+Z">/);
  });

  test('R39: what others wrote is text, and leads only to pages of the web that learn nothing of this one', async () => {
    const { html } = await one.get(`/inbox/${teapot.id}`);
    expect(html).toContain('a &lt;b&gt;broken&lt;/b&gt; teapot');
    expect(html).toContain('rel="noopener noreferrer nofollow external"');
    expect(html).not.toContain('href="javascript:');
  });

  test('R29: reading changes nothing, by whatever address, and an address alone decides nothing', async () => {
    const rows = () =>
      query(
        stack.database.adminUrl,
        `select (select count(*) from audit) as audit, (select count(*) from decisions) as decisions,
        (select jsonb_agg(version) from approvals) as versions`,
      );
    const before = await rows();
    const { proposalHash } = teapot;
    for (const path of [
      `/inbox/${teapot.id}?decision=approve&proposalHash=${proposalHash}&confirmed=yes`,
      `/inbox/${teapot.id}/decisions?decision=approve&proposalHash=${proposalHash}&confirmed=yes&csrf=${one.csrf}`,
      `/inbox/${teapot.id}?done=approve`,
      '/sign-out',
      '/memory',
    ])
      await one.get(path);
    expect((await one.get('/inbox')).status).toBe(200);
    expect(await rows()).toEqual(before);
  });

  test("R38: another tenant's approval gives the same page as none, byte by byte, whatever is asked of it", async () => {
    for (const more of ['', '/events', '/nothing']) {
      const [theirs, none] = [
        await foreign.get(`/inbox/${teapot.id}${more}`),
        await foreign.get(`/inbox/apr_none${more}`),
      ];
      expect([more, theirs.status, theirs.html]).toEqual([more, 404, none.html]);
    }
    const form = formOf((await one.get(`/inbox/${teapot.id}`)).html);
    const send = (id: string) =>
      foreign.post(`/inbox/${id}/decisions`, { ...form, csrf: foreign.csrf, decision: 'approve', ...sure });
    const [theirs, none] = [await send(teapot.id), await send('apr_none')];
    expect([theirs.status, theirs.html]).toEqual([404, none.html]);
    expect(await statusOf(teapot)).toBe('open');
  });
});

describe('a decision', () => {
  test('R21: is asked once more before money, names the revision that was read, and is done once', async () => {
    const approval = await open('130.00');
    const read = (await one.get(`/inbox/${approval.id}`)).html;
    const asked = await press(one, approval, 'approve', { comment: 'two\r\nlines' }, read);
    expect([
      asked.status,
      asked.text.includes('This is the last vote that is needed: USD 130.00 will be sent.'),
    ]).toEqual([200, true]);
    expect(await statusOf(approval)).toBe('open');
    for (const _twice of [1, 2]) {
      const done = await press(one, approval, 'approve', { comment: 'two\r\nlines', ...sure }, read);
      expect([done.status, done.headers.get('location')]).toEqual([
        303,
        `/inbox/${approval.id}?done=approve`,
      ]);
    }
    const { timeline } = await stack.as('reviewer1').approval(approval.id);
    expect(timeline.map(({ comment }) => comment)).toEqual(['two\nlines']);
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect((await one.get(`/inbox/${approval.id}`)).text).toContain(
      'Approved by reviewer1. The money was sent',
    );
  });

  test('R21, R25: a stale one shows what changed, one that came too late by whom; nothing typed is lost', async () => {
    const approval = await open('140.00');
    const read = (await one.get(`/inbox/${approval.id}`)).html;
    const edited = await press(two, approval, 'edit', { amount: '90.00', reason: 'goodwill', ...sure });
    expect(edited.status).toBe(303);
    const late = await press(one, approval, 'reject', { comment: 'my <long> reasons' }, read);
    expect(late.status).toBe(409);
    expect(late.text).toContain('Decided elsewhere: approved by reviewer2');

    const raised = await open('150.00');
    const before = (await one.get(`/inbox/${raised.id}`)).html;
    await press(two, raised, 'edit', { amount: '160.00', ...sure });
    for (const more of [{}, sure]) {
      const stale = await press(one, raised, 'approve', { comment: 'my <long> reasons', ...more }, before);
      expect([stale.status, stale.text.includes('Amount: USD 150.00 USD 160.00')]).toEqual([409, true]);
      expect(stale.text).toContain('it is revision 2 now, edited by reviewer2');
      expect(stale.html).toContain('my &lt;long&gt; reasons</textarea>');
      expect((await press(one, raised, 'approve', {}, stale.html)).text).toContain('Approve USD 160.00?');
    }
    expect((await one.get(`/inbox/${raised.id}`)).text).toMatch(/What changed .* 2 USD 150\.00 USD 160\.00 /);
  });

  test('R23: whoever may not is told why, and finds no button for it', async () => {
    const paymentId = await stack.provider.charge(1_000_000, 'usd');
    const mine = await stack.as('reviewer1').openApproval({ paymentId, amount: '120.00' });
    const page = await one.get(`/inbox/${mine.id}`);
    expect(page.html).not.toContain('value="approve"');
    expect(page.text).toMatch(/Whoever asked for a refund.*may not approve it/);
    const tried = await press(
      one,
      mine,
      'approve',
      { comment: 'kept', ...sure },
      page.html.replace('<form', '<form'),
    );
    expect([tried.status, tried.text.includes('You may not do that')]).toEqual([403, true]);
    const large = await open('6000.00');
    const over = await press(one, large, 'approve', sure);
    expect([over.status, over.headers.get('location')]).toEqual([303, `/inbox/${large.id}?done=approve`]);
    expect((await one.get(`/inbox/${large.id}`)).text).toContain('You have approved this revision.');
    expect((await lead.get(`/inbox/${large.id}`)).text).toContain('Yours is the last vote');
  });

  test('R22: an edit is judged field by field, and Approve does not send what was changed', async () => {
    const approval = await open('120.00');
    for (const [amount, says] of [
      ['1,00', 'plain decimal'],
      ['0', 'above zero'],
      ['1.234', '2 decimals'],
      ['10000.01', 'more than remains'],
      ['120.00', 'an edit says what changes'],
    ] as const) {
      const wrong = await press(one, approval, 'edit', { amount, reason: 'damaged', comment: 'why' });
      expect([amount, wrong.status, wrong.text.includes(says)]).toEqual([amount, 422, true]);
      expect(wrong.html).toMatch(new RegExp(`name="amount"[^>]* value="${amount}"`));
      expect(wrong.html).toContain('why</textarea>');
    }
    const mixed = await press(one, approval, 'approve', { amount: '20.00', ...sure });
    expect([mixed.status, mixed.text.includes('press Change to send that')]).toEqual([422, true]);
    const asked = await press(one, approval, 'edit', { amount: '20.00', reason: 'damaged' });
    expect(asked.text).toContain('Change to USD 20.00?');
    const back = await press(one, approval, 'edit', { amount: '20.00', back: 'yes' });
    expect(back.html).toMatch(/name="amount"[^>]* value="20.00"/);
    expect(await statusOf(approval)).toBe('open');
  });

  test("R29: a form without this session's token decides nothing, and gives back what was typed", async () => {
    const sent = await press(one, teapot, 'approve', { csrf: two.csrf, comment: 'mine', ...sure });
    expect([sent.status, sent.text.includes('Nothing was done')]).toEqual([403, true]);
    expect(sent.html).toContain('mine</textarea>');
    expect(await statusOf(teapot)).toBe('open');
  });

  test('R44: asking, answering, claiming, handing over, taking back, escalating and commenting work without a script', async () => {
    const approval = await open('700.00', { onBehalfOf: 'reviewer2' });
    await handleWithoutScript({ one, two, approval });
    const stored = await query(
      stack.database.adminUrl,
      `select 1 from decisions where comment like '%4242%'`,
    );
    expect(stored).toEqual([]);
  });
});

describe('many approvals', () => {
  manyForms({ one: () => one, two: () => two, foreign: () => foreign, open, statusOf });
});
