import fc from 'fast-check';
import { add, compare, isZero, moneyOf, subtract } from '../../../src/domain/money/money';
import { moneySchema } from '../../../src/domain/money/moneySchema';
import { currencyArbitrary, minorArbitrary, moneyArbitrary, refusalOf } from './arbitraries';

const usd = (minor: number) => moneyOf(minor, 'USD');
const largest = Number.MAX_SAFE_INTEGER;

describe('money', () => {
  test('R10: adding and subtracting are exact, or refused', () => {
    fc.assert(
      fc.property(minorArbitrary, minorArbitrary, currencyArbitrary, (a, b, currency) => {
        const exact = BigInt(a) + BigInt(b);
        const sum = () => add({ minor: a, currency }, { minor: b, currency });
        if (exact > BigInt(largest)) {
          expect(refusalOf(sum)).toBe('amount_too_large');
        } else {
          expect(sum()).toEqual({ minor: Number(exact), currency });
          expect(subtract(sum(), { minor: b, currency })).toEqual({ minor: a, currency });
        }
      }),
    );
  });

  test('R9: the exact remainder can be taken, one minor unit more cannot', () => {
    expect(isZero(subtract(usd(4900), usd(4900)))).toBe(true);
    expect(refusalOf(() => subtract(usd(4900), usd(4901)))).toBe('amount_not_positive');
    expect(compare(usd(4901), usd(4900))).toBe(1);
    expect(compare(usd(4900), usd(4900))).toBe(0);
    expect(compare(usd(4899), usd(4900))).toBe(-1);
    expect(isZero(usd(1))).toBe(false);
  });

  test('R10: the largest amount is reached exactly, and not passed', () => {
    expect(add(usd(largest - 1), usd(1))).toEqual(usd(largest));
    expect(refusalOf(() => add(usd(largest), usd(1)))).toBe('amount_too_large');
  });

  test.each([add, subtract, compare])('R10: %p refuses mixed currencies', (operation) => {
    expect(refusalOf(() => operation(usd(100), moneyOf(100, 'EUR')))).toBe('currency_mismatch');
  });

  test.each([0.5, -1, NaN, Infinity, largest + 1, '1' as unknown as number])(
    'R10: %p is not a number of minor units',
    (minor) => {
      expect(refusalOf(() => moneyOf(minor, 'USD'))).toBe('amount_invalid');
      expect(refusalOf(() => add(usd(1), { minor, currency: 'USD' }))).toBe('amount_invalid');
      expect(refusalOf(() => subtract({ minor, currency: 'USD' }, usd(0)))).toBe('amount_invalid');
      expect(moneySchema.safeParse({ minor, currency: 'USD' }).success).toBe(false);
    },
  );

  test('R10: the schema takes all money and refuses what is not', () => {
    fc.assert(
      fc.property(moneyArbitrary, (money) => {
        expect(moneySchema.parse(JSON.parse(JSON.stringify(money)))).toEqual(money);
      }),
    );
    expect(moneySchema.safeParse({ minor: 1, currency: 'usd' }).success).toBe(false);
    expect(moneySchema.safeParse({ minor: 1, currency: 'XXX' }).success).toBe(false);
    expect(moneySchema.safeParse({ minor: 1, currency: 'USD', more: 1 }).success).toBe(false);
    expect(refusalOf(() => moneyOf(1, 'XXX'))).toBe('currency_unknown');
  });
});
