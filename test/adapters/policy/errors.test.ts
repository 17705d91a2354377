import { isAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { entitiesOf } from '../../../src/adapters/policy/entities';
import { schema } from '../../../src/adapters/policy/schema';
import type { Ask, Question } from '../../../src/domain/policy/authorization';
import { embeddedPolicy } from '../../../src/sandbox/embeddedTenants';
import { openApproval, people } from '../../domain/approval/approvalFixture';
import { authorization, because, embedded, outcome, permitAll, under } from './policyFixture';

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

  const asked = (change: object, ask: Ask = under(permitAll())) =>
    because(ask({ ...question, ...change } as Question));
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

describe('what is found wrong before anything is published', () => {
  const first = (cedar: string) => authorization.problems(cedar)[0];

  test("R42: nothing is wrong with the embedded tenants' rules, and everything is validated strictly", () => {
    expect(authorization.problems(embeddedPolicy.cedar)).toEqual([]);
    expect(authorization.problems(permitAll())).toEqual([]);
  });

  test.each<[string, string, object]>([
    [
      'a typo in an attribute',
      permitAll(
        '\n@id("b") forbid (principal, action == Action::"approve", resource)\nwhen { resource.amunt > 1 };',
      ),
      { rule: 'b', line: 4, message: expect.stringMatching(/amunt.*did you mean `amount`/) },
    ],
    [
      'an action that there is none of',
      permitAll('@id("b") permit (principal, action == Action::"aprove", resource);'),
      { rule: 'b', message: expect.stringMatching(/unrecognized action.*aprove/) },
    ],
    [
      'a limit that is used without asking whether there is one',
      permitAll(
        '@id("b") forbid (principal is Person, action == Action::"approve", resource) when { principal.limit > 1 };',
      ),
      { rule: 'b', message: expect.stringContaining('optional attribute `limit`') },
    ],
    [
      'what is compared with something of another kind',
      permitAll(
        '@id("b") forbid (principal, action == Action::"approve", resource) when { resource.amount > "1" };',
      ),
      { rule: 'b' },
    ],
    [
      'a rule that can never apply',
      permitAll('@id("b") forbid (principal, action == Action::"approve", resource) when { false };'),
      { rule: 'b', message: expect.stringContaining('impossible') },
    ],
    [
      'a decision for agents',
      permitAll('@id("b") permit (principal is Agent, action == Action::"approve", resource);'),
      { rule: 'b', message: expect.stringContaining('unable to find an applicable action') },
    ],
    ['half a rule', 'permit (principal', { line: 1 }],
    [
      'text that reads backwards',
      permitAll('@id("b") forbid (principal, action, resource == Setting::"a\u202eb");'),
      { message: expect.stringContaining('BIDI') },
    ],
    [
      'a rule without a name',
      `// why\npermit (principal, action, resource);`,
      { line: 2, message: expect.stringContaining('@id') },
    ],
    [
      'two rules of one name',
      permitAll(permitAll()),
      { rule: 'all', message: expect.stringContaining('same @id') },
    ],
    [
      'an annotation that means nothing',
      permitAll('@id("b") @codes("x") forbid (principal, action, resource);'),
      { message: expect.stringContaining('@codes') },
    ],
    [
      'a code that is none',
      permitAll('@id("b") @code("internal") forbid (principal, action, resource);'),
      { message: expect.stringContaining('separation_of_duties') },
    ],
    [
      'a permit with a code',
      '@id("b") @code("forbidden") permit (principal, action, resource);',
      { message: expect.stringContaining('forbid') },
    ],
    [
      'a template',
      permitAll('@id("t") permit (principal == ?principal, action, resource);'),
      { message: expect.stringContaining('template') },
    ],
    ['no rule', '// nobody', { message: expect.stringContaining('nobody') }],
    [
      'far too much text',
      permitAll(`// ${'x'.repeat(33_000)}`),
      { message: expect.stringContaining('longer') },
    ],
  ])('R42: %s', (_what, cedar, problem) => {
    expect(first(cedar)).toMatchObject({ where: 'rules', ...problem });
  });

  test('R42: of a dozen rules the right one is named', () => {
    const rules = Array.from({ length: 12 }, (_, i) => `@id("r${i}") permit (principal, action, resource);`);
    const wrong = rules.with(
      10,
      '@id("r10") permit (principal, action, resource) when { resource.nothing };',
    );
    expect(authorization.problems(wrong.join('\n')).map(({ rule, line }) => [rule, line])[0]).toEqual([
      'r10',
      11,
    ]);
    expect(authorization.rules(rules.join('\n')).map(({ id }) => id)).toEqual(rules.map((_, i) => `r${i}`));
  });
});
