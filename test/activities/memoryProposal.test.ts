import { CedarAuthorization } from '../../src/adapters/policy/cedar';
import { Database } from '../../src/adapters/postgres/database';
import { PostgresMemories } from '../../src/adapters/postgres/memories';
import { holdSource, releaseSource, reviewCandidate } from '../../src/application/memoryReviews';
import { listApprovals, showApproval } from '../../src/application/readInbox';
import type { UseCases } from '../../src/application/dependencies';
import type { ApprovalState } from '../../src/domain/approval/state';
import type { DecisionKind } from '../../src/domain/approval/message';
import { approvalIdOf } from '../../src/domain/contract';
import type { MemoryCandidate } from '../../src/domain/memory/candidate';
import type { MemoryActor } from '../../src/domain/memory/gate';
import { reviewWindowMs } from '../../src/domain/memory/review';
import { actor, administrator as admin, preference, principal } from '../adapters/memoryFixture';
import { query } from '../support/database';
import { ActivityFixture } from './activityFixture';

let fixture: ActivityFixture;
let pool: Database;
let memories: PostgresMemories;
let doors: Pick<UseCases, 'store' | 'authorization'>;
beforeAll(async () => {
  fixture = await ActivityFixture.open();
  pool = new Database(fixture.database.url);
  const authorization = new CedarAuthorization();
  memories = new PostgresMemories(pool, authorization);
  doors = { store: fixture.store, authorization };
  await rows(`insert into principals (tenant, id, kind, display_name, groups)
    values ('acme', 'admin2', 'person', 'Second', '{admins}'), ('acme', 'admin3', 'person', 'Third', '{admins}')`);
});
afterAll(async () => {
  await pool.close();
  await fixture.close();
});

const agent = actor('agent', 'agent');
const rows = (text: string) => query<Record<string, unknown>>(fixture.database.adminUrl, text);
const owed = (id: string) => rows(`select kind, ref from outbox where run_id = '${id}' order by id`);
const recall = (owner: string) => memories.recall({ tenant: 'acme', owner }, { limit: 50 });
const statusOf = async (id: string) =>
  (await rows(`select status, value from memory_candidates where id = '${id}'`))[0];

/** A rule of procedure as the gate lets it wait. @returns its id */
async function proposed(owner: string, change: Partial<MemoryCandidate> = {}, by: MemoryActor = agent) {
  const candidate = preference(owner, {
    kind: 'procedural',
    key: 'procedure/greeting',
    value: `Greet ${owner} with zanzibar.`,
    source: 'inferred',
    explicitUserRequest: false,
    evidence: [{ kind: 'turn', ref: `thread-${owner}/1` }],
    ...change,
  });
  const { candidateId, memoryId } = await memories.propose(candidate, by);
  expect([memoryId, candidateId]).toEqual([null, expect.stringMatching(/^mcd_/)]);
  return candidateId ?? '';
}

async function opened(candidateId: string, epoch = fixture.epoch): Promise<ApprovalState> {
  const of = { tenant: 'acme', candidateId, epoch, now: Date.now() };
  const approval = await fixture.run('openMemoryProposal', of);
  if (!approval) throw new Error('nobody is asked');
  return approval;
}

async function decided(approval: ApprovalState, who: string, kind: DecisionKind = 'approve', more = {}) {
  const message = await fixture.recorded(fixture.envelope(approval, who, kind, more), 'Why not.');
  return fixture.run('applyDecision', fixture.toApply(approval, message));
}

const adopt = ({ runId: candidateId }: ApprovalState, epoch = fixture.epoch, votedIn = fixture.epoch) =>
  fixture.run('adoptMemory', { tenant: 'acme', candidateId, epoch, votedIn });

describe('a rule of procedure that somebody proposes', () => {
  test('R42, R43, R44: becomes an approval without its words, and a memory once a named administrator has agreed, and once only', async () => {
    const id = await proposed('p1');
    // Owed with the candidate, so that no start is lost while Temporal is away.
    expect(await owed(id)).toEqual([{ kind: 'memory', ref: 'start' }]);
    const approval = await fixture.twice('openMemoryProposal', {
      ...{ tenant: 'acme', candidateId: id, epoch: fixture.epoch, now: Date.now() },
    });
    expect(approval).toMatchObject({
      ...{ id: approvalIdOf(id), action: 'adopt_memory', target: id, requester: 'agent', status: 'open' },
      policy: { needed: 1, approverGroup: 'admins', ruleIds: expect.arrayContaining(['kind.procedural']) },
    });
    expect((approval?.deadline ?? 0) - Date.now()).toBeGreaterThan(reviewWindowMs - 60_000);
    for (const word of ['p1', 'greeting', 'zanzibar']) expect(JSON.stringify(approval)).not.toContain(word);
    expect(await recall('p1')).toEqual([]);

    if (!approval) return;
    const applied = await decided(approval, 'admin');
    expect(applied).toMatchObject({ answer: { accepted: true }, approval: { status: 'approved' } });
    expect(JSON.stringify(applied)).not.toContain('zanzibar');
    const adoption = await fixture.twice('adoptMemory', {
      ...{ tenant: 'acme', candidateId: id, epoch: fixture.epoch, votedIn: fixture.epoch },
    });
    expect(adoption).toEqual({ kind: 'ended', outcome: 'adopted' });
    const [memory, ...more] = await recall('p1');
    expect([memory, more]).toMatchObject([{ value: 'Greet p1 with zanzibar.', source: 'operator' }, []]);
    expect(
      await rows(`select allowed, rule_ids, actor from memory_decisions where owner = 'p1' and allowed`),
    ).toEqual([{ allowed: true, rule_ids: ['review.approved'], actor: 'admin' }]);
    expect(await statusOf(id)).toEqual({ status: 'approved', value: null });
    expect(await fixture.events(id)).toEqual(['approval_opened', 'decision_approve', 'memory_adopted']);
    expect(JSON.stringify(await rows(`select * from audit`))).not.toMatch(/zanzibar|procedure\/greeting/);
  });

  test('R23: administrators alone decide and see it, none on what he proposed, what was proposed for him or what is of him, and policy must let him', async () => {
    const approval = await opened(await proposed('p2'));
    const refused = async (who: string, of = approval, kind: DecisionKind = 'approve') =>
      (await decided(of, who, kind)).answer.code;
    for (const who of ['reviewer1', 'lead', 'service', 'agent'])
      expect([who, await refused(who)]).toEqual([who, 'forbidden']);
    expect(await refused('admin', approval, 'edit')).toBe('memory_not_editable');

    const own = await opened(await proposed('p2b', { source: 'user_explicit' }, actor('service', 'service')));
    const byAdmin = await opened(
      await proposed('admin', { source: 'user_explicit', evidence: [] }, actor('admin')),
    );
    const ofAdmin = await opened(await proposed('admin', { key: 'procedure/other' }));
    const forAdmin = await opened(await proposed('p2c', {}, { ...agent, onBehalfOf: 'Admin' }));
    for (const one of [byAdmin, ofAdmin, forAdmin])
      expect([await refused('admin', one), await refused('admin', one, 'reject')]).toEqual([
        'separation_of_duties',
        'separation_of_duties',
      ]);
    expect(JSON.stringify([ofAdmin, forAdmin])).not.toMatch(/"[Aa]dmin"/);

    const seen = (who = admin) => showApproval(doors, who, own.id).then(({ arguments: args }) => args);
    const asService = principal('service', { kind: 'service' });
    expect(await seen()).toMatchObject({
      kind: 'procedural',
      owner: 'p2b',
      value: 'Greet p2b with zanzibar.',
    });
    expect(await seen(asService)).toMatchObject({ owner: 'p2b' });
    for (const who of [principal('reviewer1', { groups: ['approvers'] }), principal('p2b')])
      await expect(seen(who)).rejects.toMatchObject({ code: 'forbidden' });
    const listed = { filter: { status: 'open' }, order: 'oldest', after: undefined, limit: 50 } as const;
    const idsOf = async (who = admin) => (await listApprovals(doors, who, listed)).items.map(({ id }) => id);
    expect(await idsOf()).toEqual(expect.arrayContaining([approval.id, own.id, byAdmin.id]));
    expect(await idsOf(principal('reviewer1', { groups: ['approvers'] }))).toEqual([]);
    const body = { decision: 'approve', proposalHash: own.proposalHash } as const;
    await expect(reviewCandidate(doors, admin, own.runId, body)).rejects.toMatchObject({
      ...{ code: 'memory_approval', details: { approvalId: own.id } },
    });

    expect((await decided(byAdmin, 'admin2')).answer.accepted).toBe(true);
    expect(await adopt(byAdmin)).toEqual({ kind: 'ended', outcome: 'adopted' });
  });

  test('R23: whoever asked answers, others wait for a claim, and a role that is lost before adoption voids the vote', async () => {
    let approval = await opened(await proposed('p3'));
    approval = (await decided(approval, 'admin2', 'request_info')).approval;
    expect(approval.questions).toHaveLength(1);
    approval = (await decided(approval, 'agent', 'answer_info')).approval;
    expect(approval.questions).toEqual([]);
    approval = (await decided(approval, 'admin3', 'claim')).approval;
    expect((await decided(approval, 'admin')).answer.code).toBe('approval_claimed');
    approval = (await decided(approval, 'admin3')).approval;
    await rows(`update principals set groups = '{}' where id = 'admin3'`);
    const again = await adopt(approval);
    expect(again).toMatchObject({ kind: 'ask_again', approval: { status: 'open', votes: [] } });
    expect(await recall('p3')).toEqual([]);
    if (again.kind === 'ask_again')
      expect((await decided(again.approval, 'admin')).answer.accepted).toBe(true);
    expect(await adopt(approval)).toEqual({ kind: 'ended', outcome: 'adopted' });
  });

  test('R27: after a reset what was decided is void, unless it was adopted already', async () => {
    const approval = await opened(await proposed('p4'));
    await decided(approval, 'admin');
    const again = await adopt(approval, 'execution-2', fixture.epoch);
    expect(again).toMatchObject({ kind: 'ask_again', approval: { revision: 2, votes: [], status: 'open' } });
    expect(await recall('p4')).toEqual([]);

    const other = await opened(await proposed('p4b'));
    await decided(other, 'admin');
    await adopt(other);
    expect(await opened(other.runId, 'execution-2')).toMatchObject({ status: 'approved', revision: 1 });
    expect(await adopt(other, 'execution-2', fixture.epoch)).toEqual({ kind: 'ended', outcome: 'adopted' });
    expect(await recall('p4b')).toHaveLength(1);
  });

  test('R42: what was approved passes the gate once more, and a source that is held by then refuses it, on record', async () => {
    const approval = await opened(await proposed('p5'));
    await decided(approval, 'admin');
    const held = { source: { kind: 'turn', ref: 'thread-p5' }, reason: 'suspicious' } as const;
    await holdSource(doors, admin, 'quarantine', held);
    expect(await adopt(approval)).toEqual({ kind: 'ended', outcome: 'refused' });
    expect(
      await rows(`select rule_ids from memory_decisions where owner = 'p5' and actor = 'admin'`),
    ).toEqual([{ rule_ids: ['source.quarantined'] }]);
    expect([await recall('p5'), await statusOf(approval.runId)]).toEqual([
      [],
      { status: 'rejected', value: null },
    ]);
    await releaseSource(doors, admin, held.source);
  });

  test('R25, R31: what is rejected, runs out, is replaced or revoked ends with its text, and the first decision wins', async () => {
    const close = (approval: ApprovalState, outcome: 'rejected' | 'expired' | 'cancelled') =>
      fixture.twice('closeMemoryProposal', {
        ...{ tenant: 'acme', candidateId: approval.runId, outcome, epoch: fixture.epoch, now: Date.now() },
      });
    const confirm = (runId: string) =>
      fixture.run('confirmCancel', { tenant: 'acme', runId, actor: 'countersign' });
    const first = await opened(await proposed('p6'));
    expect((await decided(first, 'admin', 'reject')).answer.accepted).toBe(true);
    expect((await decided(first, 'admin2')).answer.code).toBe('already_decided');
    await close(first, 'rejected');
    const late = await opened(await proposed('p6b'));
    expect(await confirm(late.runId)).toEqual({ onRecord: false });
    await close(late, 'expired');
    const replaced = await opened(await proposed('p6c'));
    await proposed('p6c', { value: 'Greet p6c with quetzalcoatl.' });
    const revoked = await opened(await proposed('p6d'));
    await holdSource(doors, admin, 'revocation', {
      ...{ source: { kind: 'turn', ref: 'thread-p6d' }, reason: 'poisoned' },
    });
    for (const one of [replaced, revoked]) {
      expect((await decided(one, 'admin2')).answer.code).toBe('already_decided');
      expect(await owed(one.runId)).toContainEqual({ kind: 'memory', ref: 'gone' });
      expect(await confirm(one.runId)).toEqual({ onRecord: true });
      await close(one, 'cancelled');
    }
    const ids = [first, late, replaced, revoked].map(({ runId }) => runId);
    const ended = await Promise.all(
      ids.map(async (id) => [(await statusOf(id))?.['status'], await approvalOf(id)]),
    );
    expect(ended).toEqual([
      ['rejected', 'rejected'],
      ['expired', 'expired'],
      ['replaced', 'cancelled'],
      ['revoked', 'cancelled'],
    ]);
    expect(JSON.stringify(await fixture.everyRow())).not.toMatch(/p6b? with zanzibar/);
  });

  test('R49: an erasure ends it, takes what people said about it, and nothing of its owner is left; a sweep does so in time', async () => {
    const [open, done] = [
      await opened(await proposed('cus_ines')),
      await opened(await proposed('cus_ines', { key: 'procedure/b' })),
    ];
    await decided(done, 'admin', 'reject');
    const runs = (unit: Parameters<Parameters<typeof fixture.in>[0]>[0]) =>
      unit.personal.runsOf('cus_ines', undefined, 10);
    expect(await fixture.in(runs)).toEqual(
      [
        { runId: open.runId, ended: false, held: false },
        { runId: done.runId, ended: true, held: false },
      ].sort((a, b) => (a.runId < b.runId ? -1 : 1)),
    );
    expect(await fixture.in((unit) => unit.retention.agedRuns(100))).not.toContain(done.runId);
    await rows(
      `update approvals set state = jsonb_set(state, '{decidedBy,at}', to_jsonb(1)) where run_id = '${done.runId}'`,
    );
    expect(await fixture.in((unit) => unit.retention.agedRuns(100))).toContain(done.runId);

    await fixture.in(async ({ erasures }) => {
      await erasures.request({ id: 'era_1', subject: 'cus_ines', own: false, requestedBy: 'admin' });
      await erasures.confirm('era_1', 'admin2');
    });
    await fixture.in((unit) => unit.personal.eraseRecords('era_1', 'cus_ines'));
    expect(await owed(open.runId)).toContainEqual({ kind: 'memory', ref: 'gone' });
    expect(
      await fixture.run('confirmCancel', { tenant: 'acme', runId: open.runId, actor: 'countersign' }),
    ).toEqual({ onRecord: true });
    const ending = { tenant: 'acme', candidateId: open.runId, epoch: fixture.epoch, now: Date.now() };
    await fixture.run('closeMemoryProposal', { ...ending, outcome: 'cancelled' });
    for (const { runId } of [open, done]) await fixture.in((unit) => unit.personal.eraseRun(runId));
    expect(await fixture.in(runs)).toEqual([]);
    await rows(`delete from erasures`);
    expect(JSON.stringify(await fixture.everyRow())).not.toContain('cus_ines');
  });
});

async function approvalOf(candidateId: string): Promise<unknown> {
  return (await rows(`select status from approvals where run_id = '${candidateId}'`))[0]?.['status'];
}
