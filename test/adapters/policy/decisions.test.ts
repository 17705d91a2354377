import fc from 'fast-check';
import { amountOf, type ApprovalState, type Authority } from '../../../src/domain/approval/state';
import { newRevision } from '../../../src/domain/approval/decide';
import { askAbout, type ProposedRule } from '../../../src/domain/memory/proposal';
import { compareToMajor, floorToMinor } from '../../../src/domain/policy/threshold';
import { openApproval, people, policyFor } from '../../domain/approval/approvalFixture';
import { moneyArbitrary } from '../../domain/money/arbitraries';
import { because, embedded, outcome, permitAll, under } from './policyFixture';

const approval = openApproval(12_000);
const kinds = ['approve', 'edit', 'reject'] as const;

/** What the rules say in words, written out a second time, to compare the policy with. */
function inWords(of: ApprovalState, who: Authority, kind: (typeof kinds)[number]): string {
  if (who.tenant !== of.tenant) return 'not_found';
  if (who.kind !== 'person') return 'forbidden';
  const asked = [of.policy.approverGroup, of.policy.oneFrom, ...of.escalatedTo];
  if (!who.groups.some((group) => asked.includes(group))) return 'forbidden';
  if (who.id === of.requester || who.id === of.onBehalfOf) return 'separation_of_duties';
  if (kind !== 'approve') return 'permit';
  const amount = amountOf(of);
  const binds = who.limitMajor !== null && of.policy.oneFrom === undefined;
  return binds && compareToMajor(amount.minor, amount.currency, who.limitMajor) > 0 ? 'over_limit' : 'permit';
}

const somebody: fc.Arbitrary<Authority> = fc.record({
  tenant: fc.constantFrom('acme', 'globex'),
  id: fc.constantFrom('ann', 'requester', 'principal', 'o"dd\\', 'Ann'),
  kind: fc.constantFrom('person', 'person', 'person', 'service', 'agent'),
  groups: fc.uniqueArray(
    fc.constantFrom('approvers', 'finance-lead', 'executives', 'Approvers', 'admins', 'proposers', 'a"b'),
  ),
  limitMajor: fc.oneof(
    fc.constant(null),
    fc.constantFrom('0', '49.5', '100.00', '5000.00', '5000.0001', '999999999999'),
  ),
});

describe("who may decide, by the embedded tenants' policy", () => {
  test('R23: the rules as text say exactly what they say in words, for anybody and any amount', () => {
    const amounts = fc.oneof(
      moneyArbitrary.filter(({ minor }) => minor > 0),
      fc.record({
        minor: fc.constantFrom(9_999, 10_000, 10_001, 500_000, 500_001),
        currency: fc.constant('USD'),
      }),
    );
    fc.assert(
      fc.property(
        amounts,
        somebody,
        fc.constantFrom(...kinds),
        fc.constantFrom([], ['executives']),
        (amount, who, kind, escalatedTo) => {
          const policy = { ...policyFor(Math.min(amount.minor, 600_000)), aggregate: amount };
          const of = openApproval(1, { arguments: { amount, reason: 'damaged' }, policy, escalatedTo });
          expect(outcome(of, who, kind)).toBe(inWords(of, who, kind));
        },
      ),
      { numRuns: 400 },
    );
  });

  test('R10: a limit compares exactly, also where it has more decimals than the currency or no safe integer holds it', () => {
    const major = fc.stringMatching(/^\d{1,12}(\.\d{1,4})?$/);
    fc.assert(
      fc.property(moneyArbitrary, major, ({ minor, currency }, limit) => {
        expect(minor > floorToMinor(limit, currency)).toBe(compareToMajor(minor, currency, limit) > 0);
      }),
    );
  });

  test.each([
    ['the requester', 'requester', {}],
    ['the human behind the requester', 'principal', {}],
    ['whoever raised the amount', 'ann', { raised: true }],
  ] as const)(
    'R23: %s may not approve, although the policy permits everything to everybody',
    (_who, id, { raised = false }: { raised?: boolean }) => {
      const of = raised
        ? newRevision(
            approval,
            {
              arguments: { amount: { minor: 13_000, currency: 'USD' }, reason: 'damaged' },
              policy: policyFor(13_000),
              proposalHash: '',
            },
            'ann',
            'edited',
          )
        : approval;
      expect(outcome(of, people[id], 'approve', under(permitAll()))).toBe('separation_of_duties');
      expect(outcome(of, people.bob, 'approve', under(permitAll()))).toBe('permit');
    },
  );

  test.each(['agent', 'service'] as const)(
    'R29: a policy that permits everything lets no %s decide: the engine itself knows no such question',
    (id) => {
      const ask = under(permitAll());
      for (const kind of kinds) {
        expect(outcome(approval, people[id], kind, ask)).toBe('forbidden');
        expect(because(ask({ who: people[id], action: kind, approval }))).toBe('error');
      }
    },
  );

  test('R38: a person of another tenant is nobody here, under any policy', () => {
    const ask = under(permitAll());
    expect(because(ask({ who: people.foreigner, action: 'approve', approval }))).toBe('no_rule');
    expect(because(ask({ who: people.foreigner, action: 'view', approval }))).toBe('no_rule');
  });

  test('R23: groups and limits are those of now, not of an earlier question', () => {
    const who = { ...people.ann, groups: ['approvers'] };
    expect(outcome(approval, who, 'approve')).toBe('permit');
    expect(outcome(approval, { ...who, groups: [] }, 'approve')).toBe('forbidden');
    expect(outcome(approval, { ...who, limitMajor: '119.99' }, 'approve')).toBe('over_limit');
    expect(outcome(approval, { ...who, limitMajor: '120.00' }, 'approve')).toBe('permit');
  });
});

describe('what a policy of your own can say', () => {
  test('R23: a rule of procedure has no amount, and is refused all the same where a rule speaks of a limit', () => {
    const rule = { ...approval, action: 'adopt_memory', arguments: { kind: 'procedural' } } as const;
    const candidate: ProposedRule = {
      ...{ owner: 'cus_1', kind: 'procedural', key: 'procedure/greeting', source: 'inferred', evidence: [] },
      ...{ personal: false, confidence: 50, proposedBy: 'agent', proposedFor: null },
    };
    const limited = under(permitAll(`@id("none") @code("over_limit") forbid (principal, action, resource);`));
    const ask = askAbout({ approval: rule, candidate }, limited);
    expect(outcome(rule, people.admin, 'approve', ask)).toBe('over_limit');
  });

  const large = `@id("large") @code("over_limit") @says("above 100.00 in one go, ask the treasurer")
    forbid (principal, action == Action::"approve", resource)
    when { resource.aggregate > 10000 } unless { principal in Group::"treasurers" };`;

  test('R30: the aggregate, not the single amount, may decide, and the rule speaks in its own words', () => {
    const ask = under(permitAll(large));
    const split = openApproval(4_999, {
      policy: { ...policyFor(4_999), aggregate: { minor: 14_997, currency: 'USD' } },
    });
    expect(outcome(openApproval(4_999), people.ann, 'approve', ask)).toBe('permit');
    expect(outcome(split, people.ann, 'approve', ask)).toBe('over_limit');
    expect(outcome(split, { ...people.ann, groups: ['treasurers'] }, 'approve', ask)).toBe('permit');
    expect(ask({ who: people.ann, action: 'approve', approval: split })).toMatchObject({
      ruleIds: ['large'],
      says: 'above 100.00 in one go, ask the treasurer',
    });
  });

  test('R23: of two rules that forbid, the first of the text speaks', () => {
    const two = (first: string, second: string) =>
      under(
        permitAll(
          [first, second]
            .map((code, i) => `@id("r${i}") @code("${code}") forbid (principal, action, resource);`)
            .join('\n'),
        ),
      )({ who: people.ann, action: 'approve', approval });
    expect(two('over_limit', 'forbidden')).toMatchObject({ code: 'over_limit', ruleIds: ['r0', 'r1'] });
    expect(two('forbidden', 'over_limit')).toMatchObject({ code: 'forbidden', ruleIds: ['r0', 'r1'] });
  });

  test('R38: who may see a refund, cancel it, propose one or pull the brake', () => {
    const refund = {
      tenant: 'acme',
      requester: 'service',
      onBehalfOf: 'principal',
      amount: { minor: 12_000, currency: 'USD' },
      request: { reason: 'damaged' },
    } as const;
    const { admin, ann, service, agent, principal, lead } = people;
    const proposer = { ...service, groups: ['proposers'] };
    const allowed = (question: Parameters<typeof embedded>[0]) => embedded(question).allowed;
    expect([proposer, ann].map((who) => allowed({ who, action: 'propose', refund }))).toEqual([true, false]);
    expect([admin, ann, agent].map((who) => allowed({ who, action: 'view', refund }))).toEqual([
      true,
      true,
      true,
    ]);
    expect([service, principal, admin, ann].map((who) => allowed({ who, action: 'cancel', refund }))).toEqual(
      [true, true, true, false],
    );
    expect([lead, ann, agent].map((who) => allowed({ who, action: 'review', refund }))).toEqual([
      true,
      false,
      false,
    ]);
    expect(
      [admin, ann, { ...agent, groups: ['admins'] }].map((who) =>
        allowed({ who, action: 'manage', setting: 'brake' }),
      ),
    ).toEqual([true, false, false]);
  });
});
