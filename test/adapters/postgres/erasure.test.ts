import type { NewRun } from '../../../src/ports/runs';
import { erasureDuringAgentRun } from './erasureDuringAgentRun';
import { LedgerFixture } from './ledgerFixture';
import { sweptBatches } from './sweptBatches';

const person = 'cus_maria.9';
let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await LedgerFixture.open();
});
afterAll(() => ledger.close());

const days = (n: number) => `now() - interval '${n} days'`;
const rowsOf = (text: string) => ledger.rows<Record<string, unknown>>(text);

let made = 0;
/** An erasure of this person that may go on. @returns its id */
async function confirmedErasure(subject: string): Promise<string> {
  made += 1;
  const id = `era_${made}`;
  await ledger.in(async ({ erasures }) => {
    await erasures.request({ id, subject, own: false, requestedBy: 'admin' });
    await erasures.confirm(id, 'admin2');
  });
  return id;
}

/** A memory, with the decision that let it in, so many days old. @returns its id */
async function remembered(owner: string, value: string, age = 0, more: { supersededBy?: string } = {}) {
  made += 1;
  const key = `preference/${made}`;
  await rowsOf(`insert into memory_decisions (id, tenant, owner, kind, key, allowed, rule_ids, policy_version, reason, actor, actor_kind, decided_at)
    values ('d${made}', 'acme', '${owner}', 'semantic', '${key}', true, '{r}', 'v', 'r', 'service', 'service', ${days(age)})`);
  await rowsOf(`insert into memories (id, tenant, owner, kind, key, value, source, confidence, evidence, personal, version, decision_id, valid_from, created_at)
    values ('m${made}', 'acme', '${owner}', 'semantic', '${key}', '${value}', 'inferred', 1, '[]', false, 1, 'd${made}', ${days(age)}, ${days(age)})`);
  if (more.supersededBy !== undefined) {
    await rowsOf(`insert into memory_decisions (id, tenant, owner, kind, key, allowed, rule_ids, policy_version, reason, actor, actor_kind)
      values ('d${made}b', 'acme', '${owner}', 'semantic', '${key}', true, '{r}', 'v', 'r', 'service', 'service')`);
    // One transaction, as the gate does it.
    await rowsOf(`update memories set valid_to = now(), superseded_by = 'm${made}b' where id = 'm${made}';
      insert into memories (id, tenant, owner, kind, key, value, source, confidence, evidence, personal, version, decision_id, valid_from)
      values ('m${made}b', 'acme', '${owner}', 'semantic', '${key}', '${more.supersededBy}', 'inferred', 1, '[]', false, 2, 'd${made}b', now())`);
  }
  return `m${made}`;
}

/** A finished refund of `customer`. @returns its id */
async function finished(customer: string, more: Partial<NewRun> = {}): Promise<string> {
  const paymentId = await ledger.adopted(10_000, { customer });
  const request = { paymentId, amount: { minor: 100, currency: 'USD' }, reason: 'damaged' as const };
  const runId = await ledger.run(paymentId, 100, {
    customer,
    note: 'He called twice.',
    request: { ...request, customerId: customer, orderId: 'order-7', evidence: ['a photo'], threadId: 't' },
    ...more,
  });
  await ledger.in((unit) => unit.runs.change(runId, { phase: 'completed' }));
  return runId;
}

describe('an erasure', () => {
  test('R49: takes what is his own, other people’s rows that name him, and nothing else', async () => {
    const own = await remembered(person, 'Likes tea.', 0, { supersededBy: 'Likes coffee.' });
    const other = await remembered('service', `refunded ${person} twice`, 0, {
      supersededBy: 'refunded somebody twice',
    });
    const foreign = await remembered('cus_maria.91', 'nothing about him');
    await rowsOf(`insert into memory_tombstones values ('t', 'acme', '${person}', 1, 'service')`);
    const id = await confirmedErasure(person);
    const counts = await ledger.in((unit) => unit.personal.eraseRecords(id, person));
    expect(counts).toMatchObject({ memories: 4, memory_decisions: 2, memory_tombstones: 1 });
    const left = (await rowsOf('select id from memories')).map((row) => row['id']);
    expect(left).toEqual([foreign]);
    expect(left).not.toContain(own);
    expect(left).not.toContain(other);
    expect(await ledger.in((unit) => unit.personal.mentions('memories', person))).toBe(0);
    // Again it finds nothing more.
    const again = await ledger.in((unit) => unit.personal.eraseRecords(id, person));
    expect(Object.values(again)).toEqual(Object.values(again).map(() => 0));
  });

  test('R49: of a refund takes notes, evidence, comments and ids of persons; figures, keys and the audit log stay', async () => {
    const runId = await finished('cus_run', { requester: 'service' });
    await ledger.in(async (unit) => {
      const asked = { runId, actor: 'service', event: 'requested', step: 'request' };
      await unit.audit.append({ ...asked, onBehalfOf: 'maya' });
      await unit.reviews.record(
        { id: `rev_${runId}`, runId, action: 'retry', actor: 'lead' },
        'He is cus_run',
      );
    });
    const keys = await rowsOf(`select * from refund_requests where run_id = '${runId}'`);
    expect(await ledger.in((unit) => unit.audit.ofRun(runId))).toMatchObject([{ onBehalfOf: 'maya' }]);
    expect(await ledger.in((unit) => unit.personal.runsOf('Maya', undefined, 10))).toHaveLength(1);
    const [run] = await ledger.in((unit) => unit.personal.runsOf('cus_run', undefined, 10));
    expect(run).toEqual({ runId, ended: true, held: false });
    const balance = await ledger.rows(`select * from ledger_entries`);
    await ledger.in((unit) => unit.personal.eraseRun(runId));
    const after = await ledger.in((unit) => unit.runs.find(runId));
    expect(after).toMatchObject({ customer: null, note: null, onBehalfOf: null, phase: 'completed' });
    expect(Object.keys(after?.request ?? {}).sort()).toEqual(['amount', 'paymentId', 'reason']);
    expect(await rowsOf(`select comment from review_orders where run_id = '${runId}'`)).toEqual([
      { comment: null },
    ]);
    expect(await ledger.in((unit) => unit.personal.runsOf('cus_run', undefined, 10))).toEqual([]);
    expect(await rowsOf(`select * from refund_requests where run_id = '${runId}'`)).toEqual(keys);
    expect(await ledger.rows(`select * from ledger_entries`)).toEqual(balance);
    const [asked, ...more] = await ledger.in((unit) => unit.audit.ofRun(runId));
    expect([asked?.actor, asked?.onBehalfOf, more]).toEqual(['service', undefined, []]);
  });

  erasureDuringAgentRun(() => ledger, confirmedErasure);

  test.each(['note', 'evidence', 'comment'] as const)(
    'R49: finds a refund of somebody else whose %s names him',
    async (where) => {
      const named = `cus_in_${where}`;
      const amount = { minor: 100, currency: 'USD' };
      const paymentId = await ledger.adopted(10_000);
      const request = { paymentId, amount, reason: 'damaged' as const };
      const runId = await finished('cus_else', {
        ...(where === 'note' ? { note: `as for ${named}` } : {}),
        ...(where === 'evidence' ? { request: { ...request, evidence: [`seen by ${named}`] } } : {}),
      });
      if (where === 'comment')
        await ledger.in((unit) =>
          unit.reviews.record({ id: `rev_${runId}`, runId, action: 'retry', actor: 'lead' }, `ask ${named}`),
        );
      expect(await ledger.in((unit) => unit.personal.runsOf(named, undefined, 10))).toMatchObject([
        { runId },
      ]);
    },
  );

  test.each([
    ['is not confirmed', `select erase_rows('memories', 'era_open')`],
    ['does not exist', `select erase_rows('memories', 'era_nowhere')`],
    ['is another tenant’s', `select erase_rows('memories', 'era_globex')`],
  ])('R42: no login of the application removes a row for one that %s', async (_which, statement) => {
    await rowsOf(`insert into erasures (id, tenant, subject, own, state, requested_by, confirmed_by) values
      ('era_open', 'acme', 'cus_open', false, 'unconfirmed', 'admin', null),
      ('era_globex', 'globex', 'cus_x', false, 'erasing', 'admin', 'admin2') on conflict do nothing`);
    await expect(ledger.asApp(statement)).rejects.toMatchObject({ code: '42501' });
  });

  test.each([
    `delete from erasures`,
    `update erasures set requested_by = 'somebody'`,
    `delete from legal_holds`,
    `update legal_holds set reason = 'none'`,
    `delete from memory_decisions`,
    `delete from memory_tombstones`,
    `insert into owned_tables values (1, 'audit', 'memory', 'now()', 'true')`,
    `update owned_tables set named = 'true'`,
  ])('R42: the application has no grant for %s', async (statement) => {
    await expect(ledger.asApp(statement)).rejects.toMatchObject({ code: '42501' });
  });

  test('R23: is not confirmed by whoever asked for it, changes no person, and is over when it is over', async () => {
    const id = await confirmedErasure('cus_over');
    for (const statement of [
      `update erasures set confirmed_by = requested_by where id = '${id}'`,
      `update erasures set subject = 'cus_other' where id = '${id}'`,
    ])
      await expect(ledger.asApp(statement)).rejects.toThrow();
    await ledger.in((unit) => unit.erasures.finish(id, { looked: {}, kept: {} }));
    await expect(ledger.asApp(`update erasures set state = 'erasing' where id = '${id}'`)).rejects.toThrow();
    const [tombstone] = await rowsOf(`select * from erasures where id = '${id}'`);
    expect(JSON.stringify(tombstone)).not.toContain('cus_over');
  });
});

describe('a legal hold', () => {
  test('R49: keeps a person, a run or the whole tenant from being erased and swept, until it is released', async () => {
    const held = 'cus_held';
    const [runId, other] = [await finished(held), await finished('cus_free')];
    await rowsOf(
      `update runs set updated_at = ${days(31)} where run_id in ('${runId}', '${other}') returning run_id`,
    );
    const memory = await remembered(held, 'old', 2_000);
    const id = await confirmedErasure(held);
    const aged = () => ledger.in((unit) => unit.retention.agedRuns(100));
    expect(await aged()).toEqual(expect.arrayContaining([runId, other]));

    const hold = { id: 'hld_1', scope: 'person', subject: held, reason: 'case', placedBy: 'admin' } as const;
    await ledger.in((unit) => unit.holds.place(hold));
    expect(await aged()).toEqual([other]);
    await expect(ledger.in((unit) => unit.personal.eraseRecords(id, held))).rejects.toMatchObject({
      code: '42501',
    });
    await ledger.in((unit) => unit.retention.sweepRows('memories', 100));
    expect(await rowsOf(`select id from memories where id = '${memory}'`)).toHaveLength(1);

    await ledger.in((unit) => unit.holds.release('hld_1', 'admin'));
    await ledger.in((unit) => unit.holds.place({ ...hold, id: 'hld_2', scope: 'tenant', subject: null }));
    expect(await aged()).toEqual([]);
    expect(await ledger.in((unit) => unit.retention.sweepRows('memories', 100))).toBe(0);
    await ledger.in((unit) => unit.holds.release('hld_2', 'admin'));
    await ledger.in((unit) => unit.holds.place({ ...hold, id: 'hld_3', scope: 'run', subject: other }));
    expect(await aged()).toEqual([runId]);
    await ledger.in((unit) => unit.holds.release('hld_3', 'admin'));
    expect(JSON.stringify(await rowsOf('select * from legal_holds'))).not.toContain(held);
  });
});

describe('a sweep', () => {
  test('R49: takes memory that is older than the tenant keeps it, oldest first and in batches, with what was decided', async () => {
    await ledger.in((unit) => unit.retention.set(0, { memoryDays: 10 }, 'admin'));
    const old = [
      await remembered('u1', 'a', 30),
      await remembered('u2', 'b', 20),
      await remembered('u3', 'c', 11),
    ];
    const kept = await remembered('u1', 'd', 9);
    const superseded = await remembered('u4', 'e', 40, { supersededBy: 'f' });
    const ids = async () => (await rowsOf(`select id from memories order by id`)).map((r) => r['id']);
    const due = await ledger.in((unit) => unit.retention.due());
    expect(due['memories']).toBeGreaterThanOrEqual(4);
    const sweep = (table: string, limit: number) =>
      ledger.in((unit) => unit.retention.sweepRows(table, limit));
    expect(await sweep('memories', 2)).toBe(2);
    expect(await ids()).not.toContain(superseded);
    while ((await sweep('memories', 2)) > 0);
    for (const id of old) expect(await ids()).not.toContain(id);
    expect(await ids()).toEqual(expect.arrayContaining([kept, `${superseded}b`]));
    await sweep('memory_decisions', 1_000);
    const orphans = await rowsOf(
      `select m.id from memories m left join memory_decisions d on d.id = m.decision_id where d.id is null`,
    );
    expect(orphans).toEqual([]);
    expect(await rowsOf(`select id from memory_decisions where decided_at < ${days(10)}`)).toEqual([]);
    expect((await ledger.in((unit) => unit.retention.due()))['memories']).toBe(0);
  });

  sweptBatches(() => ledger);

  test('R34: the rule changes from the version that was read, and no other', async () => {
    const { version } = await ledger.in((unit) => unit.retention.rule());
    expect(await ledger.in((unit) => unit.retention.set(version, { runDays: 60 }, 'admin'))).toBe(true);
    expect(await ledger.in((unit) => unit.retention.set(version, { runDays: 1 }, 'admin'))).toBe(false);
    const rule = await ledger.in((unit) => unit.retention.rule());
    expect(rule).toMatchObject({ runDays: 60, version: version + 1, changedBy: 'admin' });
    expect(await ledger.in((unit) => unit.retention.rule(), 'globex')).toMatchObject({
      ...{ runDays: 30, memoryDays: 1_095, turnDays: 90, version: 0 },
    });
  });
});
