import { isAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { entitiesOf } from '../../../src/adapters/policy/entities';
import { schema } from '../../../src/adapters/policy/schema';
import type { Ask, Question } from '../../../src/domain/policy/authorization';
import { embeddedPolicy } from '../../../src/sandbox/embeddedTenants';
import { openApproval, people } from '../../domain/approval/approvalFixture';
import { because, embedded, outcome, permitAll, under } from './policyFixture';

const approval = openApproval(12_000);
const question: Question = { who: people.ann, action: 'approve', approval };

/** Cedar skips a rule that fails. */
const failing = `@id("overflow") forbid (principal, action == Action::"approve", resource)
  when { resource.amount * 9223372036854775807 > 0 };`;

/** The same question as Cedar alone answers it. */
function cedarAlone(cedar: string): string {
  const { principal, resource } = entitiesOf(question, embeddedPolicy.document);
  const answer = isAuthorized({
    principal: principal.uid,
    action: { type: 'Action', id: 'approve' },
    resource: resource.uid,
    context: {},
    entities: [principal, resource],
    policies: { staticPolicies: cedar },
    schema,
    validateRequest: true,
  });
  return answer.type === 'success' ? answer.response.decision : 'failure';
}

describe('what can not be evaluated is a no', () => {
  test('R42: a rule that forbids and fails is not skipped', () => {
    const cedar = permitAll(failing);
    expect(because(under(cedar)(question))).toBe('error');
    expect(outcome(approval, people.ann, 'approve', under(cedar))).toBe('forbidden');
    expect(under(cedar)(question)).toMatchObject({ detail: expect.stringContaining('rule overflow') });
    // Control: Cedar alone says yes, and so does the same text without the rule that fails.
    expect(cedarAlone(cedar)).toBe('allow');
    expect(because(under(permitAll())(question))).toBe('allowed');
  });

  test.each([
    ['no rule at all', ''],
    ['no Cedar', 'everybody may everything'],
    ['half a rule', '@id("a") permit (principal'],
    [
      'an attribute with a typo',
      permitAll('@id("b") forbid (principal, action, resource) when { resource.amunt > 1 };'),
    ],
    [
      'an attribute of another kind',
      permitAll('@id("b") forbid (principal, action, resource) when { resource.currency > 1 };'),
    ],
    [
      'a limit that is not there',
      permitAll('@id("b") forbid (principal, action, resource) when { principal.limit > 1 };'),
    ],
    ['a rule without a name', 'permit (principal, action, resource);'],
    ['two rules of one name', permitAll(permitAll())],
    ['a template', permitAll('@id("t") permit (principal == ?principal, action, resource);')],
  ])('R42: a stored policy with %s permits nothing', (_what, cedar) => {
    const who = { ...people.ann, limitMajor: null };
    expect(because(under(cedar)({ ...question, who }))).toBe('error');
  });

  const asked = (change: object, ask: Ask = under(permitAll())) => because(ask({ ...question, ...change }));
  test.each<[string, object]>([
    ['an action that there is none of', { action: 'aprove' }],
    ['an action of another thing', { action: 'manage' }],
    ['somebody of no known kind', { who: { ...people.ann, kind: 'robot' } }],
    ['somebody without groups', { who: { ...people.ann, groups: undefined } }],
    ['somebody without an id', { who: { ...people.ann, id: undefined } }],
    [
      'an approval without an amount',
      { approval: { ...approval, arguments: { ...approval.arguments, amount: { currency: 'USD' } } } },
    ],
    [
      'an amount that is a fraction',
      {
        approval: {
          ...approval,
          arguments: { ...approval.arguments, amount: { minor: 1.5, currency: 'USD' } },
        },
      },
    ],
    [
      'an amount that is text',
      {
        approval: {
          ...approval,
          arguments: { ...approval.arguments, amount: { minor: '1', currency: 'USD' } },
        },
      },
    ],
    ['an approval without a requester', { approval: { ...approval, requester: undefined } }],
    ['an approval without a policy', { approval: { ...approval, policy: undefined } }],
    [
      'a limit in no currency',
      {
        who: people.sam,
        approval: {
          ...approval,
          arguments: { ...approval.arguments, amount: { minor: 1, currency: 'XXX' } },
        },
      },
    ],
  ])('R42: a question about %s is a no', (_what, change) => {
    expect(asked({})).toBe('allowed');
    expect(asked(change)).toBe('error');
    expect(asked(change, embedded)).toBe('error');
  });

  test('R42: names are values, never rules', () => {
    const odd = 'x" || true // __entity';
    const cedar = `@id("a") permit (principal in Group::"approvers", action, resource) when { resource.requester == "service" };`;
    for (const [groups, requester] of [
      [[odd], 'service'],
      [['approvers'], odd],
      [['"approvers"'], 'service'],
    ] as const) {
      const who = { ...people.ann, groups };
      expect(because(under(cedar)({ ...question, who, approval: { ...approval, requester } }))).toBe(
        'no_rule',
      );
    }
  });
});

describe('many policies in one process', () => {
  test('R38: each keeps its own answers, however many are used in turn', () => {
    const texts = Array.from(
      { length: 150 },
      (_, i) => [i, `@id("only") permit (principal in Group::"team-${i}", action, resource);`] as const,
    );
    for (const round of [texts, texts.toReversed(), texts]) {
      for (const [i, cedar] of round) {
        const ask = under(cedar);
        const member = (team: number) => ({ ...people.ann, groups: [`team-${team}`] });
        expect(because(ask({ ...question, who: member(i) }))).toBe('allowed');
        expect(because(ask({ ...question, who: member(i + 1) }))).toBe('no_rule');
      }
    }
  });

  test('R28: a decision costs a small part of what parsing policy and schema for it would cost', () => {
    const { cedar } = embeddedPolicy;
    const times = { kept: 0, parsed: 0 };
    embedded(question);
    for (let i = 0; i < 60; i += 1) {
      const start = process.hrtime.bigint();
      expect(embedded(question).allowed).toBe(true);
      const between = process.hrtime.bigint();
      expect(cedarAlone(cedar)).toBe('allow');
      times.kept += Number(between - start);
      times.parsed += Number(process.hrtime.bigint() - between);
    }
    expect(times.kept).toBeLessThan(times.parsed / 2);
  });
});
