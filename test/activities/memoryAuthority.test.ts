import fc from 'fast-check';
import { CedarAuthorization } from '../../src/adapters/policy/cedar';
import { Database } from '../../src/adapters/postgres/database';
import { PostgresMemories } from '../../src/adapters/postgres/memories';
import { judge } from '../../activities/evaluatePolicy';
import { checkAuthority } from '../../src/domain/approval/authority';
import type { ApprovalState } from '../../src/domain/approval/state';
import { CountersignError } from '../../src/domain/errors';
import { mostPinned } from '../../src/domain/memory/pins';
import { hostileCandidates } from '../domain/memory/hostileCandidates';
import { query } from '../support/database';
import { ActivityFixture } from './activityFixture';

let fixture: ActivityFixture;
let pool: Database;
let memories: PostgresMemories;
beforeAll(async () => {
  fixture = await ActivityFixture.open();
  pool = new Database(fixture.database.url);
  memories = new PostgresMemories(pool, new CedarAuthorization());
});
afterAll(async () => {
  await pool.close();
  await fixture.close();
});

const people = ['service', 'agent', 'reviewer1', 'reviewer2', 'lead', 'admin'] as const;
const kinds = ['approve', 'edit', 'reject', 'claim', 'escalate', 'delegate'] as const;
const authorization = new CedarAuthorization();

interface Situation {
  readonly minor: number;
  readonly currency: string;
  readonly requester: (typeof people)[number];
  readonly asked: boolean;
}

/** Everything that decides about a refund, read as the activities and doors read it: from the database, now. */
async function decisionsOn(runId: string, approval: ApprovalState, situations: readonly Situation[]) {
  return fixture.in(async (unit) => {
    const policy = await unit.policies.newest();
    const ask = authorization.under(policy);
    const authorities = await Promise.all(people.map((id) => unit.people.find(id)));
    const answers: unknown[] = [];
    for (const { minor, currency, requester, asked } of situations) {
      const amount = { minor, currency };
      const decision = await judge(unit, runId, amount, asked);
      const of = { ...approval, requester, policy: decision, arguments: { ...approval.arguments, amount } };
      const may = authorities.flatMap((who) => kinds.map((kind) => who && outcome(of, who, kind, ask)));
      answers.push([decision, may]);
    }
    return answers;
  });
}

function outcome(...[approval, who, kind, ask]: Parameters<typeof checkAuthority>): string {
  try {
    checkAuthority(approval, who, kind, ask);
    return 'permit';
  } catch (error) {
    if (error instanceof CountersignError) return error.code;
    throw error;
  }
}

const situation = fc.record({
  minor: fc.oneof(
    fc.constantFrom(5_000, 5_001, 50_000, 50_001, 500_000, 500_001),
    fc.integer({ min: 1, max: 2_000_000 }),
  ),
  currency: fc.constantFrom('USD', 'EUR', 'JPY'),
  requester: fc.constantFrom(...people),
  asked: fc.boolean(),
});

/** Past the gate, as no path of ours can: what if one of them had got in? */
async function poison(): Promise<number> {
  const rows = [...people, 'approvers', 'finance-lead', 'admins'].flatMap((owner) =>
    hostileCandidates.map(({ value, key = 'preference/service' }) => ({ owner, key, value })),
  );
  const columns = [
    rows.map((_, n) => `poison-${n}`),
    rows.map(({ owner }) => owner),
    rows.map(({ key }, n) => `${key}/${n}`),
    rows.map(({ value }) => value),
  ];
  await query(
    fixture.database.adminUrl,
    `with p as (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as p (n, owner, key, value)),
       d as (insert into memory_decisions (id, tenant, owner, kind, key, allowed, rule_ids, policy_version, reason, actor, actor_kind)
         select 'mdc_' || n, 'acme', owner, 'procedural', key, true, '{poison}', 'x', 'x', 'x', 'person' from p)
     insert into memories (id, tenant, owner, kind, key, value, source, confidence, evidence, personal, valid_from, version, decision_id)
       select 'mem_' || n, 'acme', owner, 'procedural', key, value, 'operator', 1, '[]', false, now(), 1, 'mdc_' || n from p`,
    columns,
  );
  return rows.length;
}

test('R45: whoever decides, and how many must, is the same with memory empty, full, poisoned and pinned', async () => {
  const { input, approval } = await fixture.published(12_000);
  const situations = fc.sample(situation, { numRuns: 25, seed: 45 });
  const empty = await decisionsOn(input.runId, approval, situations);
  // Not all alike, or the comparison would say nothing.
  expect(new Set(empty.map((one) => JSON.stringify(one))).size).toBeGreaterThan(8);

  const proposer = { tenant: 'acme', id: 'service', kind: 'service' } as const;
  for (const owner of people) {
    for (const [key, value] of [
      ['preference/language', 'Answer in English.'],
      ['preference/remedy', 'Prefers a new item to money where there is one'],
    ] as const) {
      const candidate = {
        tenantId: 'acme',
        ownerId: owner,
        key,
        value,
        kind: 'semantic',
        source: 'user_explicit',
        explicitUserRequest: true,
        confidence: 1,
        evidence: [],
      };
      expect((await memories.propose(candidate, proposer)).allowed).toBe(true);
    }
  }
  expect(await decisionsOn(input.runId, approval, situations)).toEqual(empty);

  expect(await poison()).toBeGreaterThan(500);
  const poisoned = { tenant: 'acme', owner: 'reviewer1' };
  const recalled = await memories.recall(poisoned, { limit: 200 });
  expect(recalled.length).toBeGreaterThan(60);
  for (const { id } of recalled.slice(0, mostPinned))
    expect(await memories.pin(poisoned, id, proposer)).toMatchObject({ pinned: true });
  expect(await decisionsOn(input.runId, approval, situations)).toEqual(empty);
});

test('R45: the activities of a run come to the same end with poisoned memory: votes count and refusals stay', async () => {
  const { approval } = await fixture.published(60_000);
  expect(approval.policy).toMatchObject({ decision: 'approval', needed: 2 });
  const vote = async (who: string) => {
    const message = await fixture.recorded(fixture.envelope(approval, who, 'approve'));
    return fixture.run('applyDecision', fixture.toApply(approval, message));
  };
  expect(JSON.stringify(await vote('service'))).toContain('forbidden');
  expect(JSON.stringify(await vote('agent'))).toContain('forbidden');
  expect(await vote('reviewer1')).toMatchObject({ approval: { status: 'open' } });
  expect(await vote('reviewer2')).toMatchObject({ approval: { status: 'approved' } });
});
