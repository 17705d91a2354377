import { openMemoryProposal } from '../../activities/openMemoryProposal';
import { CedarAuthorization } from '../../src/adapters/policy/cedar';
import { Database } from '../../src/adapters/postgres/database';
import { PostgresMemories } from '../../src/adapters/postgres/memories';
import { PostgresStore } from '../../src/adapters/postgres/store';
import { showApproval } from '../../src/application/readInbox';
import { ManyResultPage } from '../../src/web/inbox/manyResultPage';
import { readerOf } from '../../src/web/reader';
import { actor, preference, principal } from '../adapters/memoryFixture';
import { PagesInThisProcess } from './pagesInThisProcess';

let pages: PagesInThisProcess;
beforeAll(async () => {
  pages = await PagesInThisProcess.start();
});
afterAll(() => pages.stop());

describe('what is remembered about me', () => {
  const remember = (who: 'reviewer1' | 'lead', key: string, value: string) =>
    pages.asOwner(`with d as (insert into memory_decisions
        (id, tenant, owner, kind, key, allowed, rule_ids, policy_version, reason, actor, actor_kind)
        values ('dec_${who}_${key}', 'acme', '${who}', 'semantic', '${key}', true, '{r}', 'v', 'r', 'agent', 'agent') returning id)
      insert into memories (id, tenant, owner, kind, key, value, source, confidence, evidence, personal, version, decision_id, valid_from)
      select 'mem_${who}_${key}', 'acme', '${who}', 'semantic', '${key}', '${value}', 'inferred', 0.8,
        '[{"kind":"run","ref":"run_1"}]', false, 1, id, now() from d`);

  test('is shown with why, is corrected by what is said explicitly, and forgotten after a second question', async () => {
    const me = await pages.signedIn();
    await remember('reviewer1', 'language', 'English');
    const page = await me.get('/memory');
    expect(page.text).toMatch(
      /language English semantic Why Concluded from what happened, 80 % sure Run run_1 Since /,
    );
    const corrected = await me.post('/memory/mem_reviewer1_language/correct', {
      value: 'Bengali',
      key: 'language',
      version: '1',
    });
    expect(corrected.headers.get('location')).toBe('/memory?done=corrected');
    const [now] = await pages.asOwner(
      `select id, value, source from memories where owner = 'reviewer1' and valid_to is null`,
    );
    expect(now).toMatchObject({ value: 'Bengali', source: 'user_explicit' });
    const id = String(now?.['id']);
    const pinned = async () => (await me.get('/memory')).text.includes('Unpin');
    expect(await pinned()).toBe(false);
    for (const [name, so] of [['pin', true] as const, ['unpin', false] as const]) {
      const { headers } = await me.post(`/memory/${id}/${name}`, {});
      expect([headers.get('location'), await pinned()]).toEqual([`/memory?done=${name}`, so]);
    }
    const asked = await me.post(`/memory/${id}/forget`, {});
    expect([asked.status, asked.text.includes('Forget this?')]).toEqual([200, true]);
    expect((await me.get('/memory')).text).toContain('Bengali');
    expect((await me.post(`/memory/${id}/forget`, { confirmed: 'yes' })).headers.get('location')).toBe(
      '/memory?done=forgotten',
    );
    expect((await me.get('/memory')).text).toContain('Nothing is remembered about you.');
  });

  test('R43, R44: what the gate refuses comes back to be changed, and is kept nowhere; a stale one says so', async () => {
    const me = await pages.signedIn();
    await remember('reviewer1', 'note', 'tea');
    for (const [value, status, says] of [
      ['my card is 4242 4242 4242 4242', 403, 'That is not kept.'],
      ['  ', 422, 'can not be kept as it is'],
    ] as const) {
      const refused = await me.post('/memory/mem_reviewer1_note/correct', {
        value,
        key: 'note',
        version: '1',
      });
      expect([value, refused.status, refused.text.includes(says)]).toEqual([value, status, true]);
      expect(refused.html).toContain(`${value}</textarea>`);
    }
    expect(await pages.asOwner(`select 1 from memories where value like '%4242%'`)).toEqual([]);
    const stale = await me.post('/memory/mem_reviewer1_note/correct', {
      value: 'coffee',
      key: 'note',
      version: '7',
    });
    expect([stale.status, stale.text.includes('changed elsewhere')]).toEqual([409, true]);
  });

  test("R38, R46: nobody else's is shown, corrected or forgotten, and the answer is that of an unknown one", async () => {
    const me = await pages.signedIn();
    await remember('lead', 'secret', 'of the lead');
    expect((await me.get('/memory')).text).not.toContain('of the lead');
    for (const act of ['correct', 'pin', 'unpin', 'forget']) {
      const fields = { value: 'mine', confirmed: 'yes' };
      const [theirs, none] = [
        await me.post(`/memory/mem_lead_secret/${act}`, fields),
        await me.post(`/memory/mem_none/${act}`, fields),
      ];
      expect([theirs.status, theirs.html]).toEqual([404, none.html]);
    }
  });
});

test('R43, R23: a rule of procedure is in the inbox of administrators with what it says, is asked about twice, and is nobody else’s to see', async () => {
  const database = new Database(pages.database.url);
  const memories = new PostgresMemories(database, new CedarAuthorization());
  const rule = { kind: 'procedural', key: 'procedure/tone', value: 'Be brief.', source: 'inferred' } as const;
  const { candidateId } = await memories.propose(
    preference('cus_bea', { ...rule, evidence: [{ kind: 'turn', ref: 'thread-7/2' }] }),
    actor('agent', 'agent'),
  );
  const of = { tenant: 'acme', candidateId: candidateId ?? '', epoch: 'execution-1', now: Date.now() };
  const approval = await openMemoryProposal({ store: new PostgresStore(database) })(of);
  const doors = { store: new PostgresStore(database), authorization: new CedarAuthorization() };
  const decider = principal('admin', { groups: ['admins'] });
  const shown = await showApproval(doors, decider, approval?.id ?? '');
  await database.close();
  const path = `/inbox/${approval?.id}`;
  const [admin, reviewer] = [await pages.signedIn('admin'), await pages.signedIn()];
  expect((await admin.get('/inbox')).text).toContain('rule procedure/tone');
  expect((await reviewer.get('/inbox')).text).not.toContain('procedure/tone');
  expect((await reviewer.get(path)).status).toBe(403);
  const page = await admin.get(path);
  expect(page.text).toMatch(/Remember rule procedure\/tone .*Of whom cus_bea What it says Be brief\. /);
  expect(page.text).toMatch(/turn thread-7\/2 .*Approve rule procedure\/tone/);
  expect(page.html).not.toContain('value="edit"');
  const asked = await admin.post(`${path}/decisions`, {
    ...{ decision: 'approve', proposalHash: approval?.proposalHash ?? '', revision: '1' },
  });
  expect(asked.text).toMatch(/Approve rule procedure\/tone\? .*is remembered from then on\. .*Be brief\./);

  const signedIn = { secret: '', csrf: '', principal: decider, reader: readerOf(undefined, null) };
  const outcomeOf = (status: 'approved' | 'rejected') => {
    const outcomes = [{ approvalId: shown.id, status: 'applied', approval: { ...shown, status } }] as const;
    const props = { kind: 'approve', signedIn, items: [], outcomes, back: '/inbox' } as const;
    const page: { toString(): string | Promise<string> } = ManyResultPage(props);
    return page.toString();
  };
  expect(outcomeOf('approved')).toContain('Approved: it is remembered.');
  expect(outcomeOf('rejected')).toContain('Rejected: nothing is remembered.');
});
