import { CedarAuthorization } from '../../../src/adapters/policy/cedar';
import { policyCases, type PolicyCase } from '../../../src/domain/policy/cases';
import { runCases } from '../../../src/domain/policy/runCases';
import { embeddedPolicy } from '../../../src/sandbox/embeddedTenants';
import { ask } from '../approval/approvalFixture';

const { people } = embeddedPolicy.cases;
const run = (...cases: PolicyCase[]) => runCases(embeddedPolicy, ask, policyCases.parse({ people, cases }));

describe('example cases', () => {
  test("R23: the embedded tenants' examples come out as they say, and each says something", () => {
    const results = runCases(embeddedPolicy, ask, embeddedPolicy.cases);
    expect(results.filter(({ passed }) => !passed)).toEqual([]);
    expect(new Set(results.map(({ got }) => got))).toEqual(
      new Set([
        'automatic',
        '1 vote',
        '2 votes',
        '2 votes, one from finance-lead',
        'permit',
        'forbidden',
        'separation_of_duties',
        'over_limit',
      ]),
    );
  });

  test.each<[PolicyCase, string]>([
    [{ case: 'c', amount: '50.01 USD', then: 'automatic' }, '1 vote'],
    [{ case: 'c', amount: '600.00 USD', then: { votes: 1 } }, '2 votes'],
    [{ case: 'c', amount: '6000.00 USD', then: { votes: 2 } }, '2 votes, one from finance-lead'],
    [{ case: 'c', amount: '9.00 USD', then: { votes: 2, oneFrom: 'finance-lead' } }, 'automatic'],
    [{ case: 'c', who: 'agent', does: 'approve', amount: '9.00 USD', then: 'permit' }, 'forbidden'],
    [{ case: 'c', who: 'reviewer1', does: 'approve', amount: '9.00 USD', then: 'deny' }, 'permit'],
    [{ case: 'c', who: 'junior', does: 'approve', amount: '900.00 USD', then: 'forbidden' }, 'over_limit'],
    [{ case: 'c', who: 'lead', does: 'manage', what: 'brake', then: 'permit' }, 'forbidden'],
    [{ case: 'c', who: 'service', does: 'suggest', then: 'permit' }, 'forbidden'],
    [
      { case: 'c', who: 'agent', does: 'review_memory', memory: { proposer: 'service' }, then: 'permit' },
      'forbidden',
    ],
    [
      { case: 'c', who: 'admin', does: 'review_memory', memory: { owner: 'admin' }, then: 'permit' },
      'separation_of_duties',
    ],
    [{ case: 'c', who: 'agent', does: 'forget', then: 'permit' }, 'forbidden'],
    [
      {
        case: 'c',
        who: 'lead',
        does: 'review',
        amount: '9.00 USD',
        when: { requester: 'lead' },
        then: 'permit',
      },
      'separation_of_duties',
    ],
    [
      {
        case: 'c',
        who: 'lead',
        does: 'reject',
        amount: '9.00 USD',
        when: { onBehalfOf: 'lead' },
        then: 'permit',
      },
      'separation_of_duties',
    ],
    [
      {
        case: 'c',
        who: 'admin',
        does: 'reject',
        amount: '9.00 USD',
        when: { escalatedTo: ['admins'] },
        then: 'deny',
      },
      'permit',
    ],
  ])('R42: %j does not pass, and says what it got', (one, got) => {
    expect(run(one)).toMatchObject([{ passed: false, got }]);
  });

  test.each<[string, object, RegExp]>([
    ['nobody does something', { does: 'approve', amount: '1.00 USD', then: 'permit' }, /belong together/],
    ['somebody does nothing', { who: 'lead', amount: '1.00 USD', then: 'permit' }, /belong together/],
    [
      'somebody unknown',
      { who: 'nobody', does: 'approve', amount: '1.00 USD', then: 'permit' },
      /not among the people/,
    ],
    [
      'a member of every object',
      { who: 'constructor', does: 'approve', amount: '1.00 USD', then: 'permit' },
      /not among/,
    ],
    ['no amount', { who: 'lead', does: 'approve', then: 'permit' }, /every case/],
    ['an amount without a currency', { amount: '1.00', then: 'automatic' }, /120.00 USD/],
    ['an amount that is none', { amount: '-1.00 USD', then: 'automatic' }, /120.00 USD/],
    [
      'votes for somebody',
      { who: 'lead', does: 'approve', amount: '1.00 USD', then: { votes: 1 } },
      /permit, deny/,
    ],
    ['permit for an amount', { amount: '1.00 USD', then: 'permit' }, /automatic or votes/],
    ['an outcome that is none', { amount: '1.00 USD', then: 'maybe' }, /one of automatic, permit/],
    ['managing nothing', { who: 'admin', does: 'manage', then: 'permit' }, /what is managed/],
    [
      'an amount of a memory',
      { who: 'service', does: 'remember', amount: '1.00 USD', then: 'permit' },
      /of memory/,
    ],
    [
      'a memory of a refund',
      { who: 'service', does: 'propose', amount: '1.00 USD', memory: {}, then: 'permit' },
      /counts nowhere/,
    ],
    [
      'how sure somebody is of what he forgets',
      { who: 'service', does: 'forget', memory: { confidence: 1 }, then: 'permit' },
      /confidence counts nowhere/,
    ],
    [
      'a memory of words',
      { who: 'service', does: 'remember', memory: { value: 'x' }, then: 'permit' },
      /nrecognized/,
    ],
    [
      'a workflow that decides',
      { who: 'refunds', does: 'approve', amount: '1.00 USD', then: 'permit' },
      /only remembers/,
    ],
    [
      'a workflow that asks',
      { amount: '1.00 USD', when: { requester: 'refunds' }, then: 'automatic' },
      /only remembers/,
    ],
    ['a field that is none', { amount: '1.00 USD', then: 'automatic', expect: 'x' }, /nrecognized/],
  ])('R42: %s is no example', (_what, one, says) => {
    const parsed = policyCases.safeParse({ people, cases: [{ case: 'c', ...one }] });
    expect(parsed.error?.issues.map(({ message }) => message).join('; ')).toMatch(says);
  });

  test('R42: two examples have two titles', () => {
    const one = { case: 'same', amount: '1.00 USD', then: 'automatic' };
    expect(policyCases.safeParse({ people, cases: [one, one] }).success).toBe(false);
  });
});

describe('memory in example cases', () => {
  const under = (cedar: string) => new CedarAuthorization().under({ ...embeddedPolicy, cedar });
  const permitting = under(`${embeddedPolicy.cedar}
    @id("all") permit (principal, action in [Action::"remember", Action::"suggest", Action::"review_memory"], resource);`);
  const sure = under(`${embeddedPolicy.cedar}
    @id("sure") forbid (principal, action == Action::"remember", resource)
    when { resource.confidence < 80 || resource.evidence.contains("run") || resource.key like "secret/*" };`);
  const outcome = (
    asked: typeof ask,
    who: string,
    does: PolicyCase['does'],
    memory: PolicyCase['memory'] = {},
  ) =>
    runCases(
      embeddedPolicy,
      asked,
      policyCases.parse({ people, cases: [{ case: 'c', who, does, memory, then: 'permit' }] }),
    )[0]?.got;

  test('R43: what the gate refuses is refused in a case too, whatever a policy permits', () => {
    expect(outcome(permitting, 'service', 'remember', { source: 'document', evidence: ['document'] })).toBe(
      'permit',
    );
    for (const [who, memory] of [
      ['agent', {}],
      ['service', { kind: 'procedural' }],
      ['service', { source: 'inferred', asked: false }],
      ['service', { personal: true, asked: false }],
      ['service', { evidence: ['document'] }],
      ['service', { source: 'inferred', confidence: 0.2 }],
      ['service', { key: 'role/admin' }],
      ['reviewer1', { owner: 'customer' }],
      ['refunds', { kind: 'semantic' }],
    ] as const)
      expect([who, memory, outcome(permitting, who, 'remember', memory as PolicyCase['memory'])]).toEqual([
        who,
        memory,
        'forbidden',
      ]);
    expect(outcome(permitting, 'service', 'suggest', { kind: 'procedural' })).toBe('permit');
    expect(outcome(permitting, 'lead', 'review_memory')).toBe('forbidden');
  });

  test('R43: a policy is asked about every fact that a case says', () => {
    expect(outcome(sure, 'service', 'remember')).toBe('permit');
    expect(outcome(sure, 'service', 'remember', { personal: true })).toBe('permit');
    for (const memory of [{ confidence: 0.7 }, { evidence: ['turn', 'run'] }, { key: 'secret/x' }] as const)
      expect([memory, outcome(sure, 'service', 'remember', memory as PolicyCase['memory'])]).toEqual([
        memory,
        'forbidden',
      ]);
  });
});

describe("a refund's past in example cases", () => {
  const cedar = `${embeddedPolicy.cedar}
    @id("velocity") forbid (principal, action == Action::"pay_automatically", resource)
    unless { resource has risk && resource.risk has customer && resource.risk.customer.lastDay < 3 };
    @id("other-method") forbid (principal, action == Action::"approve", resource)
    unless { resource has risk && resource.risk has toOtherMethod && !resource.risk.toOtherMethod };`;
  const asked = new CedarAuthorization().under({ ...embeddedPolicy, cedar });
  const small = { case: 'c', amount: '9.00 USD', then: 'automatic' } as const;
  const approve = {
    case: 'c',
    amount: '90.00 USD',
    who: 'reviewer1',
    does: 'approve',
    then: 'permit',
  } as const;
  test.each<[PolicyCase, string]>([
    [small, 'automatic'],
    [{ ...small, when: { risk: { customer: { lastDay: 2, refunded: '80.00 USD' } } } }, 'automatic'],
    [{ ...small, when: { risk: { customer: { lastDay: 3 } } } }, '1 vote'],
    [{ ...small, when: { risk: { customer: 'unknown' } } }, '1 vote'],
    [approve, 'permit'],
    [{ ...approve, when: { risk: { toOtherMethod: true } } }, 'forbidden'],
    [{ ...approve, when: { risk: { toOtherMethod: 'unknown' } } }, 'forbidden'],
  ])('can be set, and what is not said did not happen: %j', (one, got) => {
    const [result] = runCases(embeddedPolicy, asked, policyCases.parse({ people, cases: [one] }));
    expect(result).toMatchObject({ got });
  });
});
