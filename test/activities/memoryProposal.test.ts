import {
  holdSource,
  listCandidates,
  releaseSource,
  reviewCandidate,
} from '../../src/application/memoryReviews';
import { listApprovals, showApproval } from '../../src/application/readInbox';
import type { DecisionKind } from '../../src/domain/approval/message';
import { approvalIdOf } from '../../src/domain/contract';
import { reviewWindowMs } from '../../src/domain/memory/review';
import { actor, administrator as admin, principal } from '../adapters/memoryFixture';
import type { ActivityFixture } from './activityFixture';
import { agent, RuleFixture } from './ruleFixture';
import { erasedRules } from './erasedRules';

let fixture: RuleFixture;
let activities: ActivityFixture;
beforeAll(async () => {
  fixture = await RuleFixture.open();
  activities = fixture.activities;
});
afterAll(() => fixture.end());

describe('a rule of procedure that somebody proposes', () => {
  test('R42, R43, R44: becomes an approval without its words, and a memory once a named administrator has agreed, and once only', async () => {
    const id = await fixture.proposed('p1');
    // Owed with the candidate, so that no start is lost while Temporal is away.
    expect(await fixture.owed(id)).toEqual([{ kind: 'memory', ref: 'start' }]);
    const approval = await activities.twice('openMemoryProposal', {
      ...{ tenant: 'acme', candidateId: id, epoch: activities.epoch, now: Date.now() },
    });
    expect(approval).toMatchObject({
      ...{ id: approvalIdOf(id), action: 'adopt_memory', target: id, requester: 'agent', status: 'open' },
      policy: { needed: 1, approverGroup: 'admins', ruleIds: expect.arrayContaining(['kind.procedural']) },
    });
    expect((approval?.deadline ?? 0) - Date.now()).toBeGreaterThan(reviewWindowMs - 60_000);
    for (const word of ['p1', 'greeting', 'zanzibar']) expect(JSON.stringify(approval)).not.toContain(word);
    expect(await fixture.recall('p1')).toEqual([]);

    if (!approval) return;
    const applied = await fixture.decided(approval, 'admin');
    expect(applied).toMatchObject({ answer: { accepted: true }, approval: { status: 'approved' } });
    expect(JSON.stringify(applied)).not.toContain('zanzibar');
    const adoption = await activities.twice('adoptMemory', {
      ...{ tenant: 'acme', candidateId: id, epoch: activities.epoch, votedIn: activities.epoch },
    });
    expect(adoption).toEqual({ kind: 'ended', outcome: 'adopted' });
    const [memory, ...more] = await fixture.recall('p1');
    expect([memory, more]).toMatchObject([{ value: 'Greet p1 with zanzibar.', source: 'operator' }, []]);
    expect(
      await fixture.rows(
        `select allowed, rule_ids, actor from memory_decisions where owner = 'p1' and allowed`,
      ),
    ).toEqual([{ allowed: true, rule_ids: ['review.approved'], actor: 'admin' }]);
    expect(await fixture.candidate(id)).toEqual({ status: 'approved', value: null });
    expect(await activities.events(id)).toEqual(['approval_opened', 'decision_approve', 'memory_adopted']);
    expect(JSON.stringify(await fixture.rows(`select * from audit`))).not.toMatch(
      /zanzibar|procedure\/greeting/,
    );
  });

  test('R23: administrators alone decide and see it, none on what he proposed, what was proposed for him or what is of him, and policy must let him', async () => {
    const approval = await fixture.opened(await fixture.proposed('p2'));
    const refused = async (who: string, of = approval, kind: DecisionKind = 'approve') =>
      (await fixture.decided(of, who, kind)).answer.code;
    for (const who of ['reviewer1', 'lead', 'service', 'agent'])
      expect([who, await refused(who)]).toEqual([who, 'forbidden']);
    expect(await refused('admin', approval, 'edit')).toBe('memory_not_editable');

    const own = await fixture.opened(
      await fixture.proposed('p2b', { source: 'user_explicit' }, actor('service', 'service')),
    );
    const byAdmin = await fixture.opened(
      await fixture.proposed('admin', { source: 'user_explicit', evidence: [] }, actor('admin')),
    );
    const ofAdmin = await fixture.opened(await fixture.proposed('admin', { key: 'procedure/other' }));
    const forAdmin = await fixture.opened(
      await fixture.proposed('p2c', {}, { ...agent, onBehalfOf: 'Admin' }),
    );
    for (const one of [byAdmin, ofAdmin, forAdmin])
      expect([await refused('admin', one), await refused('admin', one, 'reject')]).toEqual([
        'separation_of_duties',
        'separation_of_duties',
      ]);
    expect(JSON.stringify([ofAdmin, forAdmin])).not.toMatch(/"[Aa]dmin"/);

    const seen = (who = admin) =>
      showApproval(fixture.doors, who, own.id).then(({ arguments: args }) => args);
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
    const idsOf = async (who = admin) =>
      (await listApprovals(fixture.doors, who, listed)).items.map(({ id }) => id);
    expect(await idsOf()).toEqual(expect.arrayContaining([approval.id, own.id, byAdmin.id]));
    expect(await idsOf(principal('reviewer1', { groups: ['approvers'] }))).toEqual([]);
    const body = { decision: 'approve', proposalHash: own.proposalHash } as const;
    await expect(reviewCandidate(fixture.doors, admin, own.runId, body)).rejects.toMatchObject({
      ...{ code: 'memory_approval', details: { approvalId: own.id } },
    });

    expect((await fixture.decided(byAdmin, 'admin2')).answer.accepted).toBe(true);
    expect(await fixture.adopt(byAdmin)).toEqual({ kind: 'ended', outcome: 'adopted' });
  });

  test('R23: whoever asked answers, others wait for a claim, and a role that is lost before adoption voids the vote', async () => {
    let approval = await fixture.opened(await fixture.proposed('p3'));
    approval = (await fixture.decided(approval, 'admin2', 'request_info')).approval;
    expect(approval.questions).toHaveLength(1);
    approval = (await fixture.decided(approval, 'agent', 'answer_info')).approval;
    expect(approval.questions).toEqual([]);
    approval = (await fixture.decided(approval, 'admin3', 'claim')).approval;
    expect((await fixture.decided(approval, 'admin')).answer.code).toBe('approval_claimed');
    approval = (await fixture.decided(approval, 'admin3')).approval;
    await fixture.rows(`update principals set groups = '{}' where id = 'admin3'`);
    const again = await fixture.adopt(approval);
    expect(again).toMatchObject({ kind: 'ask_again', approval: { status: 'open', votes: [] } });
    expect(await fixture.recall('p3')).toEqual([]);
    if (again.kind === 'ask_again')
      expect((await fixture.decided(again.approval, 'admin')).answer.accepted).toBe(true);
    expect(await fixture.adopt(approval)).toEqual({ kind: 'ended', outcome: 'adopted' });
  });

  test('R27: after a reset what was decided is void, unless it was adopted already', async () => {
    const approval = await fixture.opened(await fixture.proposed('p4'));
    await fixture.decided(approval, 'admin');
    const again = await fixture.adopt(approval, 'execution-2');
    expect(again).toMatchObject({ kind: 'ask_again', approval: { revision: 2, votes: [], status: 'open' } });
    expect(await fixture.recall('p4')).toEqual([]);

    const other = await fixture.opened(await fixture.proposed('p4b'));
    await fixture.decided(other, 'admin');
    await fixture.adopt(other);
    expect(await fixture.opened(other.runId, 'execution-2')).toMatchObject({
      status: 'approved',
      revision: 1,
    });
    expect(await fixture.adopt(other, 'execution-2')).toEqual({
      kind: 'ended',
      outcome: 'adopted',
    });
    expect(await fixture.recall('p4b')).toHaveLength(1);
  });

  test('R42: what was approved passes the gate once more, and a source that is held by then refuses it, on record', async () => {
    const approval = await fixture.opened(await fixture.proposed('p5'));
    await fixture.decided(approval, 'admin');
    const held = { source: { kind: 'turn', ref: 'thread-p5' }, reason: 'suspicious' } as const;
    await holdSource(fixture.doors, admin, 'quarantine', held);
    expect(await fixture.adopt(approval)).toEqual({ kind: 'ended', outcome: 'refused' });
    expect(
      await fixture.rows(`select rule_ids from memory_decisions where owner = 'p5' and actor = 'admin'`),
    ).toEqual([{ rule_ids: ['source.quarantined'] }]);
    expect([await fixture.recall('p5'), await fixture.candidate(approval.runId)]).toEqual([
      [],
      { status: 'rejected', value: null },
    ]);
    await releaseSource(fixture.doors, admin, held.source);
  });

  test('R25, R31: what is rejected, runs out, is replaced or revoked ends with its text, and the first decision wins', async () => {
    const first = await fixture.opened(await fixture.proposed('p6'));
    expect((await fixture.decided(first, 'admin', 'reject')).answer.accepted).toBe(true);
    expect((await fixture.decided(first, 'admin2')).answer.code).toBe('already_decided');
    await fixture.close(first, 'rejected');
    const late = await fixture.opened(await fixture.proposed('p6b'));
    expect(await fixture.isGone(late)).toBe(false);
    await fixture.close(late, 'expired');
    const replaced = await fixture.opened(await fixture.proposed('p6c'));
    await fixture.proposed('p6c', { value: 'Greet p6c with quetzalcoatl.' });
    const revoked = await fixture.opened(await fixture.proposed('p6d'));
    await holdSource(fixture.doors, admin, 'revocation', {
      ...{ source: { kind: 'turn', ref: 'thread-p6d' }, reason: 'poisoned' },
    });
    for (const one of [replaced, revoked]) {
      expect((await fixture.decided(one, 'admin2')).answer.code).toBe('already_decided');
      expect(await fixture.owed(one.runId)).toContainEqual({ kind: 'memory', ref: 'gone' });
      expect(await fixture.isGone(one)).toBe(true);
      await fixture.close(one, 'cancelled');
    }
    const ids = [first, late, replaced, revoked].map(({ runId }) => runId);
    const ended = await Promise.all(
      ids.map(async (id) => [(await fixture.candidate(id))?.['status'], await fixture.approval(id)]),
    );
    expect(ended).toEqual([
      ['rejected', 'rejected'],
      ['expired', 'expired'],
      ['replaced', 'cancelled'],
      ['revoked', 'cancelled'],
    ]);
    expect(JSON.stringify(await activities.everyRow())).not.toMatch(/p6b? with zanzibar/);
  });

  test('R28, R26: it waits until its own deadline and no longer, also where people are asked late or its run was ended from outside', async () => {
    const listed = { status: 'waiting', limit: 50 } as const;
    const waits = async ({ runId }: { readonly runId: string }) => {
      const { items } = await listCandidates(fixture.doors, admin, listed);
      return items.some(({ id }) => id === runId);
    };
    const ofCandidate = (id: string, deadline: string) =>
      fixture.rows(
        `update memory_candidates set deadline = now() + interval '${deadline}' where id = '${id}'`,
      );
    const late = await fixture.proposed('p7');
    await ofCandidate(late, '30 hours');
    const { policy } = await fixture.opened(late);
    expect([Math.round(policy.expiryHours), policy.remindersHours]).toEqual([30, [24, 48]]);

    const approval = await fixture.opened(await fixture.proposed('p7b'));
    await ofCandidate(approval.runId, '-1 second');
    expect(await waits(approval)).toBe(true);
    await fixture.rows(`update approvals set status = 'cancelled' where id = '${approval.id}'`);
    expect(await waits(approval)).toBe(false);
    const never = await fixture.proposed('p7c');
    await ofCandidate(never, '-1 second');
    expect(await waits({ runId: never })).toBe(false);
    expect([await fixture.candidate(approval.runId), await fixture.candidate(never)]).toEqual(
      Array(2).fill({ status: 'expired', value: null }),
    );
  });
});

erasedRules(() => fixture);
