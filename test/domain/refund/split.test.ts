import fc from 'fast-check';
import type { CountersignError } from '../../../src/domain/errors';
import { splitOver, splitState, type Allocation } from '../../../src/domain/refund/split';
import { refusalOf } from '../money/arbitraries';

const usd = (minor: number) => ({ minor, currency: 'USD' });
const whole = (captured: number) => ({ captured, remaining: captured });
const parts = (
  minor: number,
  payments: { captured: number; remaining: number }[],
  how: Allocation,
  currency = 'USD',
) => splitOver({ minor, currency }, payments, how).map((part) => part.minor);

const payment = fc
  .record({ captured: fc.integer({ min: 1, max: 1e9 }), left: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ captured, left }) => ({ captured, remaining: Math.floor(captured * left) }));
const splitting = fc
  .record({
    payments: fc.array(payment, { minLength: 1, maxLength: 20 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    how: fc.constantFrom<Allocation>('proportional', 'in_order'),
    step: fc.constantFrom<[string, number]>(['USD', 1], ['KWD', 10], ['MGA', 100]),
  })
  .map(({ payments, share, how, step: [currency, step] }) => {
    const most = payments.reduce((all, { remaining }) => all + Math.floor(remaining / step), 0);
    return { payments, how, currency, step, minor: Math.floor(most * share) * step };
  })
  .filter(({ minor }) => minor > 0);

describe('the parts of a split', () => {
  test.each<[number, { captured: number; remaining: number }[], Allocation, number[]]>([
    [100, [whole(100), whole(100), whole(100)], 'proportional', [34, 33, 33]],
    [100, [whole(100), whole(100), whole(100)], 'in_order', [100, 0, 0]],
    [100, [whole(30), whole(30), whole(60)], 'in_order', [30, 30, 40]],
    [100, [whole(30), whole(70)], 'proportional', [30, 70]],
    [90, [{ captured: 100, remaining: 10 }, whole(100), whole(100)], 'proportional', [10, 40, 40]],
    [90, [{ captured: 100, remaining: 0 }, whole(100)], 'proportional', [0, 90]],
    [90, [{ captured: 100, remaining: -5 }, whole(100)], 'in_order', [0, 90]],
    [1, [whole(100), whole(200)], 'proportional', [0, 1]],
  ])('R11: %i over %j, %s, are %j', (minor, payments, how, expected) => {
    expect(parts(minor, payments, how)).toEqual(expected);
  });

  test('R11: they sum exactly to the whole, and none is more than remains of its payment', () => {
    fc.assert(
      fc.property(splitting, ({ minor, payments, how, currency, step }) => {
        const given = parts(minor, payments, how, currency);
        expect(given).toHaveLength(payments.length);
        expect(given.reduce((all, part) => all + part, 0)).toBe(minor);
        for (const [index, part] of given.entries()) {
          expect(part).toBeGreaterThanOrEqual(0);
          expect(part).toBeLessThanOrEqual(payments[index]?.remaining ?? -1);
          expect(part % step).toBe(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('R11: where every payment can bear its share, it is the exact one rounded down or up', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1e9 }), { minLength: 1, maxLength: 20 }),
        fc.double({ min: 0.001, max: 0.999, noNaN: true }),
        (captured, share) => {
          const all = captured.reduce((sum, one) => sum + one, 0);
          const minor = Math.max(Math.floor(all * share), 1);
          const given = parts(minor, captured.map(whole), 'proportional');
          for (const [index, part] of given.entries()) {
            const error = BigInt(part) * BigInt(all) - BigInt(minor) * BigInt(captured[index] ?? 0);
            expect(error < BigInt(all) && error > -BigInt(all)).toBe(true);
          }
        },
      ),
    );
  });

  test('R11: what some can not bear is shared by the others in the same proportion', () => {
    fc.assert(
      fc.property(splitting, ({ minor, payments, currency, step }) => {
        const given = parts(minor, payments, 'proportional', currency);
        const open = payments.flatMap(({ captured, remaining }, index) =>
          (given[index] ?? 0) < Math.floor(remaining / step) * step
            ? [{ captured, part: given[index] ?? 0 }]
            : [],
        );
        // Of two that could bear more, the larger one never bears less.
        for (const one of open)
          for (const other of open)
            if (one.captured > other.captured) expect(one.part).toBeGreaterThanOrEqual(other.part);
        // And nobody who is full bears more than he would by his proportion beside those who are not.
        for (const { captured, part } of open)
          for (const [index, full] of payments.entries()) {
            const his = given[index] ?? 0;
            expect(BigInt(his) * BigInt(captured)).toBeLessThanOrEqual(
              BigInt(part + step) * BigInt(full.captured) + BigInt(step) * BigInt(captured),
            );
          }
      }),
    );
  });

  test('R9: the exact remainder of all passes, one minor unit more is refused with what there is', () => {
    const payments = [{ captured: 100, remaining: 40 }, whole(60)];
    for (const how of ['proportional', 'in_order'] as const) {
      expect(parts(100, payments, how)).toEqual([40, 60]);
      expect(refusalOf(() => parts(101, payments, how))).toBe('exceeds_remaining');
    }
    try {
      splitOver(usd(101), payments, 'in_order');
    } catch (error) {
      expect((error as CountersignError).details).toEqual({
        requested: 101,
        remaining: 100,
        currency: 'USD',
      });
    }
  });

  test('R10: in dinars, what a payment has beside what can be moved counts for nothing', () => {
    const payments = [{ captured: 20_000, remaining: 1_235 }, whole(10_000)];
    expect(parts(11_230, payments, 'in_order', 'KWD')).toEqual([1_230, 10_000]);
    expect(refusalOf(() => parts(11_240, payments, 'in_order', 'KWD'))).toBe('exceeds_remaining');
  });
});

test.each([
  [['completed', 'waiting_approval'], 'in_progress'],
  [['completed', 'completed'], 'completed'],
  [['completed', 'rejected'], 'partly_completed'],
  [['expired', 'rejected'], 'not_completed'],
] as const)('a split with parts %j is %s', (phases, state) => {
  expect(splitState(phases)).toBe(state);
});
