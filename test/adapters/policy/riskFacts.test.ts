import type { RiskFacts } from '../../../src/domain/risk/facts';
import type { ApprovalState } from '../../../src/domain/approval/state';
import { embeddedPolicy } from '../../../src/sandbox/embeddedTenants';
import { openApproval, people } from '../../domain/approval/approvalFixture';
import { authorization, outcome, permitAll, under } from './policyFixture';

const known: RiskFacts = {
  currency: 'USD',
  payment: { refunds: 0, refunded: 0, rejections: 0, ageHours: 1, disputed: 0 },
  customer: { refunds: 3, refunded: 900, lastHour: 3, lastDay: 3, last30Days: 3, rejections: 0 },
  toOtherMethod: false,
};
const { customer: _nobody, ...guest } = known;

const atMost3 = `@id("velocity") @says("too many in an hour")
  forbid (principal, action == Action::"pay_automatically", resource)
  unless { resource has risk && resource.risk has customer && resource.risk.customer.lastHour <= 3 };`;

function automatically(rules: string, risk?: RiskFacts) {
  const refund = {
    ...{ tenant: 'acme', requester: 'service', onBehalfOf: null, amount: { minor: 100, currency: 'USD' } },
    request: { reason: 'damaged' } as const,
    ...(risk === undefined ? {} : { risk }),
  };
  return under(rules)({ who: people.service, action: 'pay_automatically', refund });
}

describe("a refund's past in the rules", () => {
  test('a rule over the past forbids that nobody is asked, with its words, and without the fact it forbids as well', () => {
    const busy = { ...known, customer: { ...known.customer, refunds: 4, lastHour: 4 } } as RiskFacts;
    expect(automatically(permitAll(atMost3), known)).toMatchObject({ allowed: true });
    expect(automatically(permitAll(atMost3), busy)).toMatchObject({
      allowed: false,
      because: 'forbidden',
      says: 'too many in an hour',
    });
    expect(automatically(permitAll(atMost3), guest)).toMatchObject({ because: 'forbidden' });
    expect(automatically(permitAll(atMost3))).toMatchObject({ because: 'forbidden' });
  });

  test('an approval has the past of its revision: what is under dispute only finance approves', () => {
    const rules = permitAll(`@id("dispute")
      forbid (principal, action == Action::"approve", resource)
      unless { principal in Group::"finance-lead" || (resource has risk && resource.risk.disputed == 0) };`);
    const disputed = { ...known, payment: { ...known.payment, disputed: 1 } };
    const ask = under(rules);
    const approval = (risk?: RiskFacts): ApprovalState => ({
      ...openApproval(12_000),
      ...(risk ? { risk } : {}),
    });
    expect(outcome(approval(known), people.ann, 'approve', ask)).toBe('permit');
    expect(outcome(approval(disputed), people.ann, 'approve', ask)).toBe('forbidden');
    expect(outcome(approval(disputed), people.lead, 'approve', ask)).toBe('permit');
    // One from before there were such facts.
    expect(outcome(approval(), people.ann, 'approve', ask)).toBe('forbidden');
  });

  const has = 'resource has risk && resource.risk has customer';
  test.each([
    ['forbid', `when { ${has} && resource.risk.customer.lastHour > 3 }`],
    ['forbid', `when { resource has risk.customer && resource.risk.customer.lastHour > 3 }`],
    ['forbid', `unless { !(${has}) }`],
    ['forbid', `when { if ${has} then resource.risk.customer.lastHour > 3 else false }`],
    ['permit', `unless { ${has} && resource.risk.customer.lastHour > 3 }`],
    ['permit', `when { !(${has}) }`],
  ])('R42: a rule that says yes to what is not known is not published: %s %s', (effect, clause) => {
    const rule = (more = '') =>
      permitAll(`@id("b") ${more} ${effect} (principal, action == Action::"approve", resource) ${clause};`);
    expect(authorization.problems(rule())).toMatchObject([
      { where: 'rules', message: expect.stringContaining('@unknown("passes")') },
    ]);
    // Whoever means it says so.
    expect(authorization.problems(rule('@unknown("passes")'))).toEqual([]);
    expect(authorization.problems(rule('@unknown("fails")'))).toHaveLength(1);
  });

  test.each([
    ['forbid', `unless { ${has} && resource.risk.customer.lastHour <= 3 }`],
    ['forbid', `when { !(${has}) }`],
    ['permit', `when { ${has} && resource.risk.customer.lastHour <= 3 }`],
    ['permit', `unless { !(${has}) }`],
  ])('R42: one that says no without the fact is: %s %s', (effect, clause) => {
    const rule = `@id("b") ${effect} (principal, action == Action::"approve", resource) ${clause};`;
    expect(authorization.problems(permitAll(rule))).toEqual([]);
  });

  test('a fact is asked for before it is used, and a permit for what the table says is refused', () => {
    const unasked = `@id("b") forbid (principal, action == Action::"approve", resource) when { resource.risk.disputed > 0 };`;
    expect(authorization.problems(permitAll(unasked))).toMatchObject([
      { rule: 'b', message: expect.stringContaining('optional attribute `risk`') },
    ]);
    for (const actions of ['== Action::"pay_automatically"', 'in [Action::"pay_automatically"]'])
      expect(
        authorization.problems(permitAll(`@id("b") permit (principal, action ${actions}, resource);`)),
      ).toMatchObject([{ message: expect.stringContaining('only forbid') }]);
  });

  test('rules that say nothing of it leave what the table says', () => {
    expect(automatically(embeddedPolicy.cedar, known)).toEqual({ allowed: false, because: 'no_rule' });
  });
});
