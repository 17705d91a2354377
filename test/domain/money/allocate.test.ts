import fc from 'fast-check';
import { allocate } from '../../../src/domain/money/allocate';
import { moneyOf } from '../../../src/domain/money/money';
import { moneyArbitrary, refusalOf } from './arbitraries';

const split = (minor: number, weights: number[]) =>
  allocate(moneyOf(minor, 'USD'), weights).map((part) => part.minor);

const weightsArbitrary = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 20 }), fc.maxSafeNat()), { minLength: 1, maxLength: 40 })
  .filter((weights) => weights.some((weight) => weight > 0));

describe('allocate', () => {
  test.each([
    [100, [1, 1, 1], [34, 33, 33]],
    [101, [1, 1, 1], [34, 34, 33]],
    [1000, [3333, 3333, 3334], [333, 333, 334]],
    [5, [0, 3, 0, 7], [0, 2, 0, 3]],
    [1, [1, 2, 1], [0, 1, 0]],
    [2, [1, 1, 1, 1], [1, 1, 0, 0]],
    [0, [1, 2], [0, 0]],
    [7, [5], [7]],
    [Number.MAX_SAFE_INTEGER, [1, 1], [4503599627370496, 4503599627370495]],
    [Number.MAX_SAFE_INTEGER, [Number.MAX_SAFE_INTEGER, 0], [Number.MAX_SAFE_INTEGER, 0]],
  ])('R11: %i over %j is %j', (minor, weights, parts) => {
    expect(split(minor, weights)).toEqual(parts);
  });

  test('R11: parts sum exactly to the whole, each within one minor unit of its exact share', () => {
    fc.assert(
      fc.property(moneyArbitrary, weightsArbitrary, (total, weights) => {
        const parts = allocate(total, weights);
        const weightSum = weights.reduce((acc, weight) => acc + BigInt(weight), 0n);
        expect(parts).toHaveLength(weights.length);
        expect(parts.reduce((acc, part) => acc + BigInt(part.minor), 0n)).toBe(BigInt(total.minor));
        parts.forEach((part, index) => {
          const error = BigInt(part.minor) * weightSum - BigInt(total.minor) * BigInt(weights[index] ?? -1);
          expect(error < weightSum && error > -weightSum).toBe(true);
          expect(Number.isSafeInteger(part.minor) && part.minor >= 0).toBe(true);
          expect(part.currency).toBe(total.currency);
        });
      }),
      { numRuns: 500 },
    );
  });

  test('R11: the units left over go to the largest remainders, to the earlier part on a tie', () => {
    fc.assert(
      fc.property(moneyArbitrary, weightsArbitrary, (total, weights) => {
        const weightSum = weights.reduce((acc, weight) => acc + BigInt(weight), 0n);
        const parts = allocate(total, weights).map((part, index) => {
          const numerator = BigInt(total.minor) * BigInt(weights[index] ?? -1);
          return { up: BigInt(part.minor) > numerator / weightSum, remainder: numerator % weightSum, index };
        });
        for (const up of parts.filter((part) => part.up)) {
          for (const down of parts.filter((part) => !part.up)) {
            const earned =
              up.remainder > down.remainder || (up.remainder === down.remainder && up.index < down.index);
            expect(earned).toBe(true);
          }
        }
      }),
    );
  });

  test('R11: a weight of zero gets nothing', () => {
    fc.assert(
      fc.property(moneyArbitrary, weightsArbitrary, (total, weights) => {
        const parts = allocate(total, [...weights, 0]);
        expect(parts.at(-1)?.minor).toBe(0);
        expect(parts.slice(0, -1)).toEqual(allocate(total, weights));
      }),
    );
  });

  test.each([[[]], [[0]], [[0, 0]], [[1, -1]], [[0.5]], [[NaN]], [[Infinity]], [[2 ** 53]]])(
    'R11: weights %j cannot be split by',
    (weights) => {
      expect(refusalOf(() => split(100, weights))).toBe('amount_invalid');
    },
  );

  test('R10: only minor units are split', () => {
    expect(refusalOf(() => allocate({ minor: 0.5, currency: 'USD' }, [1]))).toBe('amount_invalid');
  });
});
