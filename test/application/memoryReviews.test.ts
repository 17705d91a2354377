import { listCandidates, reviewCandidate, showCandidate } from '../../src/application/memoryReviews';
import { holdSource, releaseSource } from '../../src/application/memoryReviews';
import type { MemoryCandidate } from '../../src/domain/memory/candidate';
import { reviewWindowMs } from '../../src/domain/memory/review';
import {
  actor,
  administrator as admin,
  memoryFixture,
  preference,
  principal,
  secondAdministrator as second,
  type MemoryFixture,
} from '../adapters/memoryFixture';

let fixture: MemoryFixture;
beforeAll(async () => {
  fixture = await memoryFixture();
  // What a model infers waits here too; a rule of procedure is an approval (test/activities/memoryProposal.test.ts).
  await fixture.asOwner.query(`insert into policies (tenant, version, document, cedar)
    select tenant, 'inferred-waits', document, cedar || '@id("suggest-inferred")
      permit (principal, action == Action::"suggest", resource) when { resource.source == "inferred" };'
    from policies where number = (select max(number) from policies where tenant = 'acme')`);
});
afterAll(() => fixture.close());

const agent = actor('agent', 'agent');
const inferred = (owner: string, change: Partial<MemoryCandidate> = {}) =>
  preference(owner, {
    key: 'habit/greeting',
    value: 'Greet first.',
    source: 'inferred',
    explicitUserRequest: false,
    evidence: [{ kind: 'turn', ref: `thread-${owner}/1` }],
    ...change,
  });

async function proposed(owner: string, change: Partial<MemoryCandidate> = {}, by = agent) {
  const { candidateId, memoryId, allowed } = await fixture.memories.propose(inferred(owner, change), by);
  expect([memoryId, allowed, candidateId]).toEqual([null, false, expect.stringMatching(/^mcd_/)]);
  return showCandidate(fixture, admin, candidateId ?? '');
}

const decide = (
  { id, proposalHash }: { id: string; proposalHash: string },
  decision: 'approve' | 'reject' = 'approve',
  who = admin,
) => reviewCandidate(fixture, who, id, { decision, proposalHash });
const code = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => (error as { code?: string }).code,
  );
const recall = (owner: string) => fixture.memories.recall({ tenant: 'acme', owner }, { limit: 50 });
const auditRows = async () =>
  (
    await fixture.asOwner.query<{ event: string; actor: string; after: unknown; row: string }>(
      `select event, actor, after, a::text as row from audit a where run_id = 'tenant/acme' order by seq`,
    )
  ).rows;

describe('a candidate that waits for a person', () => {
  test('R43: what a model infers is remembered once a named administrator has approved it', async () => {
    const candidate = await proposed('r1');
    expect(await recall('r1')).toEqual([]);
    expect(candidate).toMatchObject({
      status: 'waiting',
      proposedBy: 'agent',
      ruleIds: ['origin.inferred', 'policy:suggest-inferred'],
      deadline: candidate.createdAt + reviewWindowMs,
    });
    const { items } = await listCandidates(fixture, admin, { limit: 50 });
    expect(items.map(({ id }) => id)).toContain(candidate.id);

    const { candidate: after, decision } = await decide(candidate);
    expect(after).toMatchObject({ status: 'approved', decidedBy: 'admin', value: null });
    expect(await recall('r1')).toMatchObject([
      { id: decision?.memoryId, value: 'Greet first.', source: 'operator', fadesAt: null, evidence: [{}] },
    ]);
    const { rows } = await fixture.asOwner.query(
      `select allowed, rule_ids, actor, actor_kind from memory_decisions where owner = 'r1' order by decided_at`,
    );
    expect(rows).toEqual([
      { allowed: false, rule_ids: candidate.ruleIds, actor: 'agent', actor_kind: 'agent' },
      { allowed: true, rule_ids: ['review.approved'], actor: 'admin', actor_kind: 'person' },
    ]);
    const told = (await auditRows()).filter(({ row }) => row.includes(candidate.id));
    expect(told).toMatchObject([
      { event: 'memory_candidate_approved', actor: 'admin', after: { memoryId: decision?.memoryId } },
    ]);
    expect(told[0]?.row).not.toContain('Greet');
  });

  test('R23: nobody decides on what he proposed or on what would be remembered of him, and nobody but administrators at all', async () => {
    const own = await proposed('r2', {}, actor('service', 'service'));
    const byAdmin = await proposed('admin', { evidence: [] }, actor('admin'));
    const aboutAdmin = await proposed('admin', { key: 'habit/other' });
    const forAdmin = await proposed('r2b', {}, { ...agent, onBehalfOf: 'Admin' });
    expect(forAdmin.proposedFor).toBe('Admin');
    for (const candidate of [byAdmin, aboutAdmin, forAdmin]) {
      expect(await code(decide(candidate))).toBe('separation_of_duties');
      expect(await code(decide(candidate, 'reject'))).toBe('separation_of_duties');
    }
    for (const who of [
      principal('reviewer1', { groups: ['approvers'] }),
      principal('lead', { groups: ['admins'] }),
      principal('agent', { kind: 'agent', groups: ['admins'] }),
      principal('service', { kind: 'service', groups: ['admins'] }),
    ]) {
      expect([who.id, await code(decide(own, 'approve', who))]).toEqual([who.id, 'forbidden']);
    }
    expect(await code(decide(byAdmin, 'approve', second))).toBe('done');
    expect(await recall('r2')).toEqual([]);
    const refused = (await auditRows()).filter(({ event }) => event === 'admin_refused');
    expect(refused.length).toBeGreaterThanOrEqual(4);
  });

  test('R46: whoever proposed it sees what becomes of it, and no word of others; nobody else sees anything', async () => {
    const candidate = await proposed('r2c');
    const asAgent = principal('agent', { kind: 'agent' });
    expect(await showCandidate(fixture, asAgent, candidate.id)).toEqual(candidate);
    const { proposalHash } = candidate;
    const words = { decision: 'reject', proposalHash, comment: 'Not so.' } as const;
    await reviewCandidate(fixture, admin, candidate.id, words);
    expect((await showCandidate(fixture, second, candidate.id)).comment).toBe('Not so.');
    expect(await showCandidate(fixture, asAgent, candidate.id)).toMatchObject({
      ...{ status: 'rejected', decidedBy: 'admin', comment: null, memoryId: null, value: null },
    });
    const narrow = { id: 'key_narrow', scopes: ['memory:read'], expiresAt: null };
    for (const who of [
      principal('r2c'),
      principal('service', { kind: 'service' }),
      { ...second, key: narrow },
      principal('agent', { kind: 'agent', tenant: 'acme-corp' }),
    ])
      expect(await code(showCandidate(fixture, who, candidate.id))).toBe('not_found');
    expect(await code(showCandidate(fixture, principal('lead', { groups: ['admins'] }), candidate.id))).toBe(
      'forbidden',
    );
  });

  test('R21: a decision names exactly what was read; a newer proposal takes the place of the older one', async () => {
    const first = await proposed('r3');
    const newer = await proposed('r3', { value: 'Greet last.' });
    expect(newer.proposalHash).not.toBe(first.proposalHash);
    expect(await code(decide(first))).toBe('already_decided');
    expect(await code(decide({ id: newer.id, proposalHash: first.proposalHash }))).toBe('decision_stale');
    expect(await showCandidate(fixture, admin, first.id)).toMatchObject({ status: 'replaced', value: null });
    expect(await code(decide({ id: 'mcd_unknown', proposalHash: newer.proposalHash }))).toBe('not_found');
    const elsewhere = principal('admin', { tenant: 'acme-corp', groups: ['admins'] });
    expect(await code(decide(newer, 'approve', elsewhere))).toBe('not_found');
    expect(await code(showCandidate(fixture, elsewhere, newer.id))).toBe('not_found');
  });

  test('R25: the first decision wins, also of two at once; what was rejected is nowhere any more', async () => {
    const candidate = await proposed('r4', { value: 'Greet with zanzibar.' });
    const answers = await Promise.all([
      code(decide(candidate, 'reject')),
      code(decide(candidate, 'approve', second)),
    ]);
    expect(answers.sort()).toEqual(['already_decided', 'done']);
    const rejected = await proposed('r4b', { value: 'Greet with quetzalcoatl.' });
    await decide(rejected, 'reject');
    expect(await fixture.everyRow()).not.toContain('quetzalcoatl');
  });

  test('R25: nobody decides after the deadline, and the text of what nobody decided on goes', async () => {
    const candidate = await proposed('r5', { value: 'Greet with xanthippe.' });
    await fixture.asOwner.query(
      `update memory_candidates set deadline = clock_timestamp() where id = '${candidate.id}'`,
    );
    expect(await code(decide(candidate))).toBe('approval_expired');
    const { items } = await listCandidates(fixture, admin, { limit: 50, status: 'expired' });
    expect(items).toMatchObject([{ id: candidate.id, value: null }]);
    expect(await fixture.everyRow()).not.toContain('xanthippe');
  });

  test('R42: what was approved passes the gate once more: a stronger source or a held one still refuses it, on record', async () => {
    const candidate = await proposed('r6');
    const held = { source: { kind: 'turn', ref: 'thread-r6' }, reason: 'suspicious' } as const;
    await holdSource(fixture, admin, 'quarantine', held);
    const { candidate: after, decision } = await decide(candidate);
    expect([after.status, decision?.ruleIds]).toEqual(['rejected', ['source.quarantined']]);
    expect(await recall('r6')).toEqual([]);
    await releaseSource(fixture, admin, held.source);
    expect((await decide(await proposed('r6'))).candidate.status).toBe('approved');
  });

  test('R42: a policy that lets nobody review, or fails, lets nobody approve', async () => {
    const candidate = await proposed('r7');
    for (const broken of ['@id("x") permit (principal in Group::"nobody", action, resource);', 'permit (']) {
      const authorization = {
        under: () => fixture.authorization.under({ cedar: broken, document: {} as never }),
        problems: () => [],
        rules: () => [],
      };
      const { id, proposalHash } = candidate;
      const body = { decision: 'approve', proposalHash } as const;
      expect(await code(reviewCandidate({ store: fixture.store, authorization }, admin, id, body))).toBe(
        'forbidden',
      );
    }
    expect((await showCandidate(fixture, admin, candidate.id)).status).toBe('waiting');
  });

  test('the queue has pages without gaps', async () => {
    for (const n of [1, 2, 3]) await proposed(`page-${n}`);
    const all = (await listCandidates(fixture, admin, { limit: 200 })).items.map(({ id }) => id);
    const seen: string[] = [];
    let after: { at: string; id: string } | null = null;
    do {
      const page: Awaited<ReturnType<typeof listCandidates>> = await listCandidates(fixture, admin, {
        limit: 2,
        ...(after === null ? {} : { after }),
      });
      seen.push(...page.items.map(({ id }) => id));
      after = page.next;
    } while (after !== null);
    expect(seen).toEqual(all);
  });
});
