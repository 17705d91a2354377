import { OperatorGround } from './operatorFixture';
import { operatorJobs } from './operatorJobs';
import { operatorRecords } from './operatorRecords';
import type { Visitor } from './visitor';

let ground: OperatorGround;
let lead: Visitor;
let admin: Visitor;
let reviewer: Visitor;

beforeAll(async () => {
  ground = await OperatorGround.open();
  await ground.waiting('run_waiting');
  await ground.inReview('run_review');
  await ground.inReview('run_ofLead', 'lead');
  await ground.run('run_done', {
    phase: 'completed',
    executed: { amount: { minor: 12_000, currency: 'USD' }, reason: 'damaged' },
  });
  await ground.run('run_foreign', {}, { tenant: 'globex' });
  lead = await ground.pages.signedIn('lead');
  admin = await ground.pages.signedIn('admin');
  reviewer = await ground.pages.signedIn('reviewer1');
});
afterAll(() => ground.stop());

const rows = (statement: string) => ground.pages.asOwner(statement);
const navigationOf = (html: string) =>
  [...(/<nav aria-label="Pages">([\s\S]*?)<\/nav>/.exec(html)?.[1] ?? '').matchAll(/href="([^"]*)"/g)].map(
    ([, path]) => path,
  );

/** What the key of a session opens meanwhile, as if its holder had another one. */
async function withScopes({ secret }: Visitor, scopes: string, look: () => Promise<void>): Promise<void> {
  const set = (to: string) =>
    rows(`update api_keys set scopes = '${to}' where id = (select key_id from web_sessions
      where id = encode(sha256(convert_to('${secret}', 'UTF8')), 'hex')) returning id`);
  expect(await set(scopes)).toHaveLength(1);
  await look();
  await set('{*}');
}

describe('who sees what', () => {
  test('the navigation leads to what the key opens and the person may see, and nowhere else', async () => {
    const everybody = ['/inbox', '/runs', '/agents', '/batches', '/reviews', '/reconciliation', '/policies'];
    expect(navigationOf((await reviewer.get('/runs')).html)).toEqual([...everybody, '/memory', '/docs']);
    expect(navigationOf((await admin.get('/runs')).html)).toEqual([
      ...everybody,
      '/audit',
      '/memory',
      '/people',
      '/docs',
    ]);
    await withScopes(reviewer, '{refunds:read}', async () => {
      expect(navigationOf((await reviewer.get('/runs')).html)).toEqual(['/runs', '/reviews', '/docs']);
      expect((await reviewer.get('/runs/run_waiting')).html).not.toContain('/inbox/apr_waiting');
      const closed = [
        '/agents',
        '/batches',
        '/reconciliation',
        '/policies',
        '/audit',
        '/people',
        '/memory',
        '/inbox',
      ];
      for (const path of closed) {
        const { status, text } = await reviewer.get(path);
        expect([path, status, text.includes('You may not do that')]).toEqual([path, 403, true]);
      }
    });
  });

  test('what is for administrators is refused to everybody else, also without the navigation', async () => {
    for (const path of [
      '/audit',
      '/people',
      '/people/cus_ada/memory',
      '/people/cus_ada/memory/mem_1/history',
    ]) {
      const { status, text } = await reviewer.get(path);
      expect([path, status, text.includes('You may not do that')]).toEqual([path, 403, true]);
    }
    expect((await reviewer.post('/audit/verify', {})).status).toBe(403);
  });

  test("R38: another tenant's run, difference and policy give the page of unknown ones, byte by byte", async () => {
    for (const [theirs, none] of [
      ['/runs/run_foreign', '/runs/run_none'],
      ['/reconciliation/dif_foreign', '/reconciliation/dif_none'],
      ['/policies/v-foreign', '/policies/v-none'],
      ['/runs/%00', '/runs/run_none'],
    ] as const) {
      const [a, b] = [await lead.get(theirs), await lead.get(none)];
      expect([theirs, a.status, a.html]).toEqual([theirs, 404, b.html]);
    }
    const order = { action: 'retry', round: '1', confirmed: 'yes' };
    for (const act of ['review', 'cancel']) {
      const [a, b] = [
        await lead.post(`/runs/run_foreign/${act}`, order),
        await lead.post(`/runs/run_none/${act}`, order),
      ];
      expect([act, a.status, a.html]).toEqual([act, 404, b.html]);
    }
    expect((await lead.get('/runs')).html).not.toContain('run_foreign');
    expect((await admin.get('/audit')).html).not.toContain('run_foreign');
  });

  test('R29: reading changes nothing, and no form of another session or site does', async () => {
    const state = () =>
      rows(
        `select (select count(*) from audit) a, (select count(*) from review_orders) r, (select count(*) from outbox) o`,
      );
    const before = await state();
    for (const path of [
      '/runs/run_review?action=fail&confirmed=yes',
      `/runs/run_review/review?action=fail&round=1&confirmed=yes&csrf=${lead.csrf}`,
      '/runs/run_review/cancel?confirmed=yes',
      '/reconciliation/start?confirmed=yes',
      '/audit/verify',
    ])
      await lead.get(path);
    const order = { action: 'fail', round: '1', confirmed: 'yes', comment: 'half a thought' };
    const stale = await lead.post('/runs/run_review/review', { ...order, csrf: 'of an earlier session' });
    expect([stale.status, stale.html.includes('half a thought</textarea>')]).toEqual([403, true]);
    const foreign = await lead.post('/runs/run_review/review', order, { origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    expect(await state()).toEqual(before);
  });
});

describe('runs', () => {
  test('are listed with counts, filtered by their address, and page by page', async () => {
    const { text } = await lead.get('/runs');
    expect(text).toMatch(/1 waits for people .* 2 needs a review/);
    const find = async (query: string) => {
      const { html } = await lead.get(`/runs?${query}`);
      return ['run_waiting', 'run_review', 'run_ofLead', 'run_done'].filter((id) =>
        html.includes(`/runs/${id}"`),
      );
    };
    expect(await find('phase=needs_review')).toEqual(['run_review', 'run_ofLead']);
    expect(await find('requester=lead&phase=')).toEqual(['run_ofLead']);
    expect(await find('payment=ch_run_done')).toEqual(['run_done']);
    expect(await find('from=2020-01-01&to=2020-01-02')).toEqual([]);
    expect(await find('currency=USD&min_amount=120.00&max_amount=120.00&customer=cus_ada')).toHaveLength(4);
    const first = await lead.get('/runs?limit=3');
    const next = /<a rel="next" href="([^"]*)"/.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect((await lead.get(next)).html).toContain('/runs/run_waiting"');
    expect((await lead.get('/runs?customer=cus_none')).text).toContain('fits these filters');
    const wrong = await lead.get('/runs?min_amount=1,5&currency=USD&customer=%22%3E%3Cscript%3E');
    expect([wrong.status, wrong.html.includes('value="1,5"'), wrong.html.includes('<script>')]).toEqual([
      422,
      true,
      false,
    ]);
  });

  test('one says what it waits for, what was asked, its calls with their keys, and what it moved', async () => {
    const waits = await lead.get('/runs/run_waiting');
    expect(waits.text).toMatch(
      /What it waits for One more vote from approvers\. Since .*; until .* \( in 4[78] h \) at the latest/,
    );
    expect(waits.html).toContain('href="/inbox/apr_waiting"');
    const { text } = await lead.get('/runs/run_review');
    expect(text).toContain('A member of finance-lead who did not ask for it settles this.');
    expect(text).toMatch(/run_review:issue_refund Sent/);
    expect(text).toMatch(/Reserved .*reserved -?120\.00 USD/);
    expect(text).toContain('refund requested by service');
    expect((await lead.get('/runs/run_done')).text).toContain('It is over.');
  });

  test('R13: a review is settled by the use case of the API, after a second question, for whoever may', async () => {
    const form = { action: 'resolve_paid', round: '1', comment: 'seen in the\r\ndashboard' };
    const incomplete = await lead.post('/runs/run_review/review', form);
    expect([incomplete.status, incomplete.html.includes('in the\r\ndashboard</textarea>')]).toEqual([
      422,
      true,
    ]);
    const old = await lead.post('/runs/run_review/review', { ...form, round: '7', refundId: 're_1' });
    expect([old.status, old.text.includes('another review than the one that you read')]).toEqual([409, true]);
    const asked = await lead.post('/runs/run_review/review', { ...form, refundId: 're_1' });
    expect([asked.status, asked.text.includes('Resolve as paid: USD 120.00?')]).toEqual([200, true]);
    expect(await rows('select 1 from review_orders')).toEqual([]);
    const card = await lead.post('/runs/run_review/review', {
      ...form,
      refundId: 're_1',
      comment: '4242 4242 4242 4242',
      confirmed: 'yes',
    });
    expect([card.status, card.html.includes('4242</textarea>')]).toEqual([422, true]);
    const done = await lead.post('/runs/run_review/review', { ...form, refundId: 're_1', confirmed: 'yes' });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/runs/run_review?done=recorded']);
    expect(await rows('select action, refund_id, actor, comment from review_orders')).toEqual([
      { action: 'resolve_paid', refund_id: 're_1', actor: 'lead', comment: 'seen in the\ndashboard' },
    ]);
    for (const [visitor, runId, says] of [
      [reviewer, 'run_review', 'only members of finance-lead settle a review'],
      [lead, 'run_ofLead', 'whoever asked for a refund may not settle its review'],
    ] as const) {
      const shown = await visitor.get(`/runs/${runId}`);
      expect(shown.html).not.toContain('name="action"');
      expect(shown.text.toLowerCase()).toContain(says);
      const refused = await visitor.post(`/runs/${runId}/review`, {
        action: 'fail',
        round: '1',
        confirmed: 'yes',
      });
      expect([runId, refused.status]).toEqual([runId, 403]);
    }
  });

  test('cancelling is offered only where it is still possible, and to whom it is', async () => {
    const offers = async (visitor: Visitor, runId: string) =>
      (await visitor.get(`/runs/${runId}`)).html.includes('Cancel the refund…');
    expect(await offers(admin, 'run_waiting')).toBe(true);
    for (const [visitor, runId] of [
      [reviewer, 'run_waiting'],
      [admin, 'run_review'],
      [admin, 'run_done'],
    ] as const)
      expect([runId, await offers(visitor, runId)]).toEqual([runId, false]);
    const asked = await admin.post('/runs/run_waiting/cancel', {});
    expect([asked.status, asked.text.includes('Cancel the refund of USD 120.00?')]).toEqual([200, true]);
    expect((await reviewer.post('/runs/run_waiting/cancel', {})).status).toBe(403);
  });
});

test('what needs a person is in one place, with the days of the inbox as a picture and as a table', async () => {
  const { text, html } = await lead.get('/reviews');
  expect(text).toContain('The provider has forgotten the key, and no refund is found.');
  expect(text).toContain('1 waiting for a decision');
  expect(html).toMatch(/<svg[^>]* role="img" aria-labelledby="days-title"/);
  const table = /<table id="days">[\s\S]*?<\/table>/.exec(html)?.[0] ?? '';
  expect(table.match(/<th scope="row">/g)).toHaveLength(14);
  expect(html).not.toMatch(/ style="/);
});

operatorRecords(() => ({ ground, lead, admin, reviewer }));
operatorJobs(() => ({ ground, lead, admin, reviewer }));
