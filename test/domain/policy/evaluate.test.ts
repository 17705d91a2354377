import fc from 'fast-check';
import { policyDocument, type Policy } from '../../../src/domain/policy/document';
import { evaluatePolicy, type Aggregates } from '../../../src/domain/policy/evaluate';
import { embeddedPolicy } from '../../../src/sandbox/embeddedTenants';

const policy: Policy = embeddedPolicy;

/** Sums of a refund that is alone in its window. */
const alone = (minor: number, more: Partial<Aggregates> = {}): Aggregates => ({
  payment: minor,
  customer: minor,
  automaticByPrincipal: minor,
  automaticByTenant: minor,
  ...more,
});
const usd = (minor: number) => ({ minor, currency: 'USD' });

describe('how many people must agree', () => {
  test.each([
    ['USD', 1, 'automatic', 0, undefined],
    ['USD', 5_000, 'automatic', 0, undefined],
    ['USD', 5_001, 'approval', 1, undefined],
    ['USD', 50_000, 'approval', 1, undefined],
    ['USD', 50_001, 'approval', 2, undefined],
    ['USD', 500_000, 'approval', 2, undefined],
    ['USD', 500_001, 'approval', 2, 'finance-lead'],
    ['EUR', 5_000, 'automatic', 0, undefined],
    ['EUR', 5_001, 'approval', 1, undefined],
    ['EUR', 500_001, 'approval', 2, 'finance-lead'],
    ['JPY', 1, 'approval', 1, undefined],
    ['JPY', 9_000_000, 'approval', 1, undefined],
    ['KWD', 1, 'approval', 1, undefined],
    ['KWD', 900_000, 'approval', 1, undefined],
    ['GBP', 4_999, 'approval', 1, undefined],
  ])('%s %i: %s, %i votes, one from %s', (currency, minor, decision, needed, oneFrom) => {
    const decided = evaluatePolicy(policy, { minor, currency }, alone(minor));
    expect(decided).toMatchObject({ decision, needed, policyVersion: embeddedPolicy.version });
    expect(decided.oneFrom).toBe(oneFrom);
    expect(decided.ruleIds).toHaveLength(1);
  });

  test('thresholds are read in the major units of each currency', () => {
    const tiers = [{ upTo: '49.5', approvers: 0 }, { approvers: 3 }];
    const everywhere: Policy = {
      ...policy,
      document: { ...policy.document, tiers: { JPY: tiers, KWD: tiers, USD: tiers } },
    };
    const needed = (minor: number, currency: string) =>
      evaluatePolicy(everywhere, { minor, currency }, alone(minor)).needed;
    expect([needed(49, 'JPY'), needed(50, 'JPY')]).toEqual([0, 3]);
    expect([needed(49_500, 'KWD'), needed(49_501, 'KWD')]).toEqual([0, 3]);
    expect([needed(4_950, 'USD'), needed(4_951, 'USD')]).toEqual([0, 3]);
  });

  test.each([
    ['this payment', { payment: 5_001 }],
    ['this customer', { customer: 5_001 }],
  ])('R30: earlier refunds of %s count together with a small one', (_whose, sums) => {
    const decided = evaluatePolicy(policy, usd(101), alone(101, sums));
    expect(decided).toMatchObject({ decision: 'approval', needed: 1, aggregate: usd(5_001) });
    expect(decided.ruleIds).toContain('aggregate');
    expect(decided.explanation).toMatch(/count together/);
  });

  test('R30: the larger of the two sums counts, never both', () => {
    const decided = evaluatePolicy(policy, usd(100), alone(100, { payment: 4_000, customer: 3_000 }));
    expect(decided).toMatchObject({ decision: 'automatic', aggregate: usd(4_000) });
  });

  test.each([
    ['a principal', { automaticByPrincipal: 200_000 }, { automaticByPrincipal: 200_001 }],
    ['a tenant', { automaticByTenant: 2_000_000 }, { automaticByTenant: 2_000_001 }],
  ])('R30: the daily cap of %s passes exactly, and one minor unit more asks a person', (_of, at, above) => {
    expect(evaluatePolicy(policy, usd(100), alone(100, at)).decision).toBe('automatic');
    const decided = evaluatePolicy(policy, usd(100), alone(100, above));
    expect(decided).toMatchObject({ decision: 'approval', needed: 1 });
    expect(decided.ruleIds).toContain('daily-automatic-cap');
  });

  test('R22: an edit never turns an approval into an automatic refund', () => {
    expect(evaluatePolicy(policy, usd(100), alone(100), true)).toMatchObject({
      decision: 'approval',
      needed: 1,
      ruleIds: ['tier-USD-1', 'edit-stays-with-people'],
    });
  });

  test('R30: more money or a larger sum never needs fewer people', () => {
    const amount = fc.integer({ min: 1, max: 2_000_000 });
    const rank = ({ needed, oneFrom }: { needed: number; oneFrom?: string }) =>
      needed + (oneFrom === undefined ? 0 : 1);
    fc.assert(
      fc.property(
        fc.constantFrom('USD', 'EUR', 'JPY', 'KWD'),
        amount,
        amount,
        amount,
        fc.boolean(),
        (currency, minor, more, sum, asked) => {
          const small = evaluatePolicy(policy, { minor, currency }, alone(minor), asked);
          const large = evaluatePolicy(policy, { minor: minor + more, currency }, alone(minor + more), asked);
          const summed = evaluatePolicy(
            policy,
            { minor, currency },
            alone(minor, { payment: minor + sum }),
            asked,
          );
          expect(rank(large)).toBeGreaterThanOrEqual(rank(small));
          expect(rank(summed)).toBeGreaterThanOrEqual(rank(small));
          expect(small.decision === 'automatic').toBe(small.needed === 0);
        },
      ),
    );
  });
});

describe('the policy document', () => {
  const valid = policyDocument.parse(policy.document);
  test.each([
    ['no tier at all', { otherCurrencies: [] }],
    ['a last tier with a limit', { otherCurrencies: [{ upTo: '10', approvers: 1 }] }],
    ['an open tier before the last', { otherCurrencies: [{ approvers: 1 }, { approvers: 2 }] }],
    ['a negative number of people', { otherCurrencies: [{ approvers: -1 }] }],
    ['a threshold that is a number', { tiers: { USD: [{ upTo: 50, approvers: 0 }, { approvers: 1 }] } }],
    ['a threshold with an exponent', { tiers: { USD: [{ upTo: '5e1', approvers: 0 }, { approvers: 1 }] } }],
    ['an unknown field', { automaticForFriends: true }],
    ['an expiry of zero hours', { expiryHours: 0 }],
  ])('%s is refused whole', (_what, change) => {
    expect(policyDocument.safeParse({ ...valid, ...change }).success).toBe(false);
  });
});
