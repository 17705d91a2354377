import { anchorNow } from '../../src/application/audit';
import { verifyAuditLog } from '../../src/application/verifyAuditLog';
import { describeTable } from '../../src/domain/policy/describe';
import { embeddedPolicy } from '../../src/sandbox/embeddedTenants';
import type { OperatorGround } from './operatorFixture';
import type { Visitor } from './visitor';

interface Scene {
  readonly ground: OperatorGround;
  readonly lead: Visitor;
  readonly admin: Visitor;
  readonly reviewer: Visitor;
}

/** What operators read besides runs: differences, policies, the audit log and memory; over a ground that is laid already. */
export function operatorRecords(scene: () => Scene): void {
  let ground: OperatorGround;
  let lead: Visitor;
  let admin: Visitor;
  let reviewer: Visitor;
  beforeAll(() => {
    ({ ground, lead, admin, reviewer } = scene());
  });
  const rows = (statement: string) => ground.pages.asOwner(statement);

  describe('differences', () => {
    test('say what they mean and what to do, and are dismissed with a reason by whoever may', async () => {
      expect((await lead.get('/reconciliation')).text).toContain('Nothing differs that waits for a person.');
      const id = await ground.difference('ch_run_done', 'run_done');
      const own = await ground.difference('ch_run_ofLead', 'run_ofLead');
      const listed = await reviewer.get('/reconciliation');
      expect(listed.text).toContain('The provider does not list the refund of ch_run_done.');
      expect(listed.text).toContain('The customer may not have been paid.');
      const shown = await reviewer.get(`/reconciliation/${id}`);
      expect(shown.text).toMatch(/Amount 120\.00 USD nothing Status succeeded nothing/);
      expect([shown.html.includes('/dismiss"'), listed.html.includes('Compare now')]).toEqual([false, false]);
      const dismiss = (visitor: Visitor, of: string, comment: string) =>
        visitor.post(`/reconciliation/${of}/dismiss`, { comment });
      expect((await dismiss(reviewer, id, 'seen')).status).toBe(403);
      const refused = await dismiss(lead, own, 'my own refund');
      expect([refused.status, refused.html.includes('my own refund</textarea>')]).toEqual([403, true]);
      expect((await dismiss(lead, id, ' ')).status).toBe(422);
      expect((await dismiss(lead, id, 'booked by hand')).headers.get('location')).toBe(
        `/reconciliation/${id}?done=dismissed`,
      );
      expect((await lead.get(`/reconciliation/${id}`)).text).toContain('Dismissed by lead booked by hand');
      expect((await lead.get('/reconciliation?status=dismissed')).html).toContain(`/reconciliation/${id}"`);
      expect((await lead.get('/reconciliation?status=other')).status).toBe(422);
    });
  });

  test('policies are shown in words with who published them, and what a version changed of another', async () => {
    const { version, document, cedar, cases } = embeddedPolicy;
    const stricter = { ...document, refundWindowHours: 720 };
    await ground.in(({ policies }) =>
      policies.publish(
        { version: 'v-next', document: stricter, cedar, cases, publishedBy: 'admin', comment: 'fewer days' },
        version,
      ),
    );
    const { text } = await reviewer.get('/policies');
    for (const words of describeTable(stricter).values()) expect(text).toContain(words);
    expect(text).toMatch(/v-next in force .* admin fewer days/);
    const changed = (await reviewer.get('/policies/v-next')).text;
    expect(changed).toContain(`What it changes of ${version}`);
    expect(changed).toContain('Refund window: 30 days; was 90 days.');
    expect((await reviewer.get(`/policies/${version}?against=v-next`)).text).toContain(
      'Refund window: 90 days; was 30 days.',
    );
    expect((await reviewer.get('/policies/v-next?against=none')).status).toBe(404);
  });

  describe('the audit log', () => {
    test('R37: is searched by run, actor, action and day, and every row leads to its run', async () => {
      const events = async (query: string) =>
        [
          ...(await admin.get(`/audit?${query}`)).text.matchAll(
            /(Refund requested|Review ordered|Review refused)/g,
          ),
        ].map(([e]) => e);
      expect(await events('run=run_review&event=review_ordered')).toEqual(['Review ordered']);
      expect(await events('actor=reviewer1&event=review_refused')).toEqual(['Review refused']);
      expect(await events('run=run_done&from=2020-01-01&to=2020-12-31')).toEqual([]);
      expect((await admin.get('/audit?run=run_done')).html).toContain('href="/runs/run_done"');
      expect((await admin.get('/audit?from=soon')).status).toBe(422);
    });

    test('R37: is verified on the spot, and what somebody changed behind our back is named', async () => {
      const well = await admin.post('/audit/verify', {});
      expect(well.text).toMatch(
        /Checking: that is all\. \d+ rows .*Nothing was changed, put in or taken out\./,
      );
      expect(well.html.trim().endsWith('</html>')).toBe(true);
      await rows(
        `set session_replication_role = replica; update audit set actor = 'nobody' where run_id = 'run_done' and seq = 1`,
      );
      const { text } = await admin.post('/audit/verify', {});
      expect(text).toContain('run_done, row 1: changed; its content is not what was hashed');
    });

    test('R37: is verified to its end, however many pages it takes, and a cut tail is found on any of them', async () => {
      const { useCases, principal } = await ground.auditor();
      await anchorNow(useCases, principal);
      const told: number[] = [];
      const verify = (more: Parameters<typeof verifyAuditLog>[2] = {}) =>
        verifyAuditLog(useCases, principal, {
          rowsAtOnce: 2,
          progress: (n) => void told.push(n),
          ...more,
        });
      const whole = await verifyAuditLog(useCases, principal);
      expect(await verify()).toEqual(whole);
      expect(whole.findings.map(({ where, kind }) => [where, kind])).toEqual([['run_done', 'changed']]);
      expect(told).toEqual(Array.from({ length: Math.floor(whole.rows / 2) }, (_, i) => 2 * (i + 1)));
      const ends = await rows(`select run_id, max(seq) as seq from audit
        where run_id in ('run_ofLead', 'run_waiting') group by run_id`);
      for (const { run_id: runId, seq } of ends)
        await rows(`set session_replication_role = replica;
          delete from audit where run_id = '${String(runId)}' and seq = ${String(seq)}`);
      const cut = (await verify()).findings.filter(({ kind }) => kind === 'tail_cut');
      expect(cut.map(({ where, seq }) => ({ run_id: where, seq }))).toEqual(expect.arrayContaining(ends));
      expect(cut).toHaveLength(2);
      expect(await verify({ signal: AbortSignal.abort() })).toMatchObject({ rows: 2, complete: false });
    });
  });

  describe('what is remembered about a person', () => {
    test('R46, R49: an administrator sees it with its decision and its rules, proposes a correction, quarantines, releases and forgets it', async () => {
      const id = await ground.remember('cus_ada', 'language', 'Bengali');
      const base = '/people/cus_ada/memory';
      expect((await admin.get('/people?owner=cus_ada')).headers.get('location')).toBe(base);
      const { text } = await admin.get(base);
      expect(text).toMatch(/What is remembered about cus_ada .*language Bengali/);
      // What he corrects of somebody waits for another administrator.
      const corrected = await admin.post(`${base}/${id}/correct`, { value: 'English', version: '1' });
      expect(corrected.headers.get('location')).toBe(`${base}?done=proposed`);
      expect((await admin.get(base)).text).toContain('language Bengali');
      expect(
        await rows(
          `select value, source, status, proposed_by from memory_candidates where owner = 'cus_ada'`,
        ),
      ).toEqual([{ value: 'English', source: 'operator', status: 'waiting', proposed_by: 'admin' }]);
      const history = (await admin.get(`${base}/${id}/history`)).text;
      expect(history).toMatch(
        /Version 1 Bengali believed .*The policy permits it\. .*proposed by agent Rules allow\.policy policy:remember-asked/,
      );
      expect((await admin.post(`${base}/${id}/hold`, { reason: 'suspicious' })).headers.get('location')).toBe(
        `${base}?done=hold`,
      );
      const held = (await admin.get(base)).text;
      expect(held).toMatch(/Nothing is remembered about cus_ada\. Not believed .*Suspicious, by admin/);
      expect((await admin.get('/people')).text).toContain('cus_ada Suspicious quarantine admin');
      expect((await admin.post(`${base}/${id}/release`, {})).headers.get('location')).toBe(
        `${base}?done=release`,
      );
      expect((await admin.post(`${base}/${id}/forget`, {})).text).toContain('Forget this?');
      expect((await admin.post(`${base}/${id}/forget`, { confirmed: 'yes' })).headers.get('location')).toBe(
        `${base}?done=forgotten`,
      );
      expect(await rows(`select 1 from memories where owner = 'cus_ada'`)).toEqual([]);
      expect((await admin.get(`${base}/${id}/history`)).status).toBe(404);
    });
  });
}
