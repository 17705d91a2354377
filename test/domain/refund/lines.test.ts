import fc from 'fast-check';
import { CountersignError } from '../../../src/domain/errors';
import type { Money } from '../../../src/domain/money/money';
import {
  admitLines,
  admitLinesAgain,
  refuseMoreThanLines,
  shareOfUnits,
  shippingLine,
  type RefundLine,
  type TakenLine,
} from '../../../src/domain/refund/lines';
import { refusalOf } from '../money/arbitraries';

const usd = (minor: number): Money => ({ minor, currency: 'USD' });
const bought = (quantity: number, minor: number, currency = 'USD') => ({
  quantity,
  amount: { minor, currency },
});

/** A line, and the quantities of refunds that take all its units one after the other. */
const lineAndParts = fc
  .record({
    parts: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
    minor: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
    currency: fc.constantFrom('USD', 'JPY', 'KWD', 'MGA'),
  })
  .map(({ parts, minor, currency }) => ({
    parts,
    of: bought(
      parts.reduce((all, part) => all + part, 0),
      minor,
      currency,
    ),
  }));

/** The refunds' shares, each taken after the ones before. */
function sharesOf(of: ReturnType<typeof bought>, parts: readonly number[]): number[] {
  let taken = { quantity: 0, minor: 0 };
  return parts.map((quantity) => {
    const { minor } = shareOfUnits(of, taken, quantity);
    taken = { quantity: taken.quantity + quantity, minor: taken.minor + minor };
    return minor;
  });
}

const step = { USD: 1, JPY: 1, KWD: 10, MGA: 100 };

/** Less than the smallest amount that can be moved away from the exact share. */
function isNearExact(share: number, of: ReturnType<typeof bought>, quantity: number): boolean {
  const error = BigInt(share) * BigInt(of.quantity) - BigInt(of.amount.minor) * BigInt(quantity);
  const most = BigInt(of.quantity) * BigInt(step[of.amount.currency as keyof typeof step]);
  return error < most && error > -most;
}

describe('the share of some units', () => {
  test.each([
    [3, 1_000, [1, 1, 1], [333, 334, 333]],
    [3, 1_000, [2, 1], [667, 333]],
    [3, 1_000, [3], [1_000]],
    [7, 100, [1, 1, 1, 1, 1, 1, 1], [14, 15, 14, 14, 14, 15, 14]],
    [2, 1, [1, 1], [1, 0]],
    [100_000, 1, [99_999, 1], [1, 0]],
    [2, Number.MAX_SAFE_INTEGER, [1, 1], [4503599627370496, 4503599627370495]],
  ])('R11: %i units for %i, refunded as %j, come to %j', (quantity, minor, parts, shares) => {
    expect(sharesOf(bought(quantity, minor), parts)).toEqual(shares);
  });

  test('R11: in dinars every share but the last is one that the provider can move', () => {
    expect(sharesOf(bought(3, 10_000, 'KWD'), [1, 1, 1])).toEqual([3_330, 3_340, 3_330]);
    expect(sharesOf(bought(3, 10_005, 'KWD'), [1, 1, 1])).toEqual([3_330, 3_340, 3_335]);
  });

  test('R11: however a line is refunded in parts, they come to exactly the whole, each its exact share rounded down or up', () => {
    fc.assert(
      fc.property(lineAndParts, ({ of, parts }) => {
        const shares = sharesOf(of, parts);
        expect(shares.reduce((all, share) => all + BigInt(share), 0n)).toBe(BigInt(of.amount.minor));
        for (const [index, share] of shares.entries()) {
          expect(share).toBeGreaterThanOrEqual(0);
          // The last takes what the currency's step has left over.
          if (index < shares.length - 1 || step[of.amount.currency as keyof typeof step] === 1)
            expect(isNearExact(share, of, parts[index] ?? 0)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('R11: unit by unit comes to the same as all at once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1e6 }), (quantity, minor) => {
        const of = bought(quantity, minor);
        const single = sharesOf(
          of,
          Array.from({ length: quantity }, () => 1),
        );
        const [whole] = sharesOf(of, [quantity]);
        expect(single.reduce((all, share) => all + share, 0)).toBe(whole);
      }),
    );
  });

  test('R11: with refunds given back in between, never more than the whole, and exactly that at last', () => {
    const taking = fc.record({ quantity: fc.integer({ min: 1, max: 6 }), back: fc.nat({ max: 9 }) });
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.array(taking, { maxLength: 60 }),
        (quantity, minor, steps) => {
          const of = bought(quantity, minor);
          const held: { quantity: number; minor: number }[] = [];
          const sum = () => ({
            quantity: held.reduce((all, one) => all + one.quantity, 0),
            minor: held.reduce((all, one) => all + one.minor, 0),
          });
          for (const one of steps) {
            const taken = sum();
            if (taken.quantity + one.quantity <= quantity) {
              const share = shareOfUnits(of, taken, one.quantity).minor;
              expect(share).toBeGreaterThanOrEqual(0);
              expect(taken.minor + share).toBeLessThanOrEqual(minor);
              held.push({ quantity: one.quantity, minor: share });
            } else {
              held.splice(one.back % Math.max(held.length, 1), 1);
            }
          }
          const taken = sum();
          if (taken.quantity < quantity)
            held.push({
              quantity: quantity - taken.quantity,
              minor: shareOfUnits(of, taken, quantity - taken.quantity).minor,
            });
          expect(sum()).toEqual({ quantity, minor });
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the lines of a refund', () => {
  const line = (quantity: number, more: Partial<RefundLine> = {}): RefundLine => ({
    lineId: 'sku-1',
    quantity,
    of: bought(3, 1_000),
    ...more,
  });
  const taken = (quantity: number, minor: number, of = bought(3, 1_000), lineId = 'sku-1') =>
    new Map<string, TakenLine>([[lineId, { quantity, minor, of }]]);
  const none = new Map<string, TakenLine>();
  const shipping = { of: usd(490), amount: usd(490) };
  const errorOf = (work: () => unknown): CountersignError => {
    try {
      work();
    } catch (error) {
      if (error instanceof CountersignError) return error;
      throw error;
    }
    throw new Error('expected a refusal');
  };

  test('R11: get their shares, and shipping what was asked for', () => {
    const admitted = admitLines({ lines: [line(1)], shipping }, none, usd(823));
    expect(admitted.map(({ lineId, quantity, amount }) => [lineId, quantity, amount.minor])).toEqual([
      ['sku-1', 1, 333],
      [shippingLine, 1, 490],
    ]);
  });

  test('R11: that do not come to the amount are refused with what they come to', () => {
    expect(errorOf(() => admitLines({ lines: [line(1)] }, none, usd(334)))).toMatchObject({
      code: 'amount_not_of_lines',
      detail: 'amount: the lines come to 3.33 USD',
      details: { expected: { value: '3.33', currency: 'USD' }, issues: [{ path: 'amount' }] },
    });
    const own = line(1, { amount: usd(334) });
    expect(errorOf(() => admitLines({ lines: [own] }, none, usd(334)))).toMatchObject({
      code: 'amount_not_of_lines',
      detail: 'lines.0.amount: these units come to 3.33 USD',
    });
    expect(admitLines({ lines: [own] }, taken(1, 333), usd(334))).toHaveLength(1);
  });

  test('R11: of which others have too many are refused with how many are left', () => {
    expect(errorOf(() => admitLines({ lines: [line(2)] }, taken(2, 667), usd(333)))).toMatchObject({
      code: 'line_exhausted',
      detail: 'lines.0.quantity: 1 of 3 are left to refund',
      details: { requestedUnits: 2, remainingUnits: 1 },
    });
    expect(
      errorOf(() => admitLines({ shipping }, taken(1, 100, bought(1, 490), shippingLine), usd(490))),
    ).toMatchObject({ code: 'line_exhausted', details: { issues: [{ path: 'shipping' }] } });
  });

  test.each([
    ['quantity', bought(4, 1_000)],
    ['amount', bought(3, 1_001)],
    ['currency', bought(3, 1_000, 'EUR')],
  ])('R11: whose whole has another %s than before are refused with what it was', (_what, of) => {
    expect(errorOf(() => admitLines({ lines: [line(1)] }, taken(1, 333, of), usd(333)))).toMatchObject({
      code: 'line_changed',
      details: { issues: [{ path: 'lines.0.of', message: expect.stringContaining(`${of.quantity} for`) }] },
    });
  });

  test('R39: a refusal names a line by its place, not by its name', () => {
    const named = line(3, { lineId: '4242424242424242' });
    const error = errorOf(() =>
      admitLines({ lines: [named] }, taken(1, 333, bought(3, 1_000), named.lineId), usd(1_000)),
    );
    expect(JSON.stringify([error.detail, error.details])).not.toContain('4242');
  });

  test('R11: held again, they keep the shares that were agreed on, unless others have taken them since', () => {
    const admitted = admitLines({ lines: [line(1)], shipping }, none, usd(823));
    admitLinesAgain(admitted, taken(2, 667));
    expect(refusalOf(() => admitLinesAgain(admitted, taken(3, 1_000)))).toBe('line_exhausted');
    expect(refusalOf(() => admitLinesAgain(admitted, taken(2, 668)))).toBe('line_exhausted');
    expect(refusalOf(() => admitLinesAgain(admitted, taken(1, 490, bought(1, 490), shippingLine)))).toBe(
      'line_exhausted',
    );
  });

  test('R22: an edit may take from what the lines come to, and not add', () => {
    const admitted = admitLines({ lines: [line(1)] }, none, usd(333));
    refuseMoreThanLines(admitted, 333);
    refuseMoreThanLines(admitted, 1);
    refuseMoreThanLines([], 1_000_000);
    expect(refusalOf(() => refuseMoreThanLines(admitted, 334))).toBe('amount_not_of_lines');
  });
});
