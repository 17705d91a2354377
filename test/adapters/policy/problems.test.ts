import { embeddedPolicy } from '../../../src/sandbox/embeddedTenants';
import { authorization, permitAll } from './policyFixture';

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
