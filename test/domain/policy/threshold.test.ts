import fc from 'fast-check';
import { exponentOfPaymentCurrency } from '../../../src/domain/money/currencies';
import { formatAmount } from '../../../src/domain/money/decimal';
import { compareToMajor } from '../../../src/domain/policy/threshold';
import { currencyArbitrary, minorArbitrary, refusalOf } from '../money/arbitraries';

/** A policy's figure: up to 12 digits, up to 4 decimals. */
const figureArbitrary = fc
  .tuple(fc.integer({ min: 0, max: 999_999_999_999 }), fc.stringMatching(/^[0-9]{0,4}$/))
  .map(([whole, fraction]) => (fraction === '' ? String(whole) : `${whole}.${fraction}`));

/** Compares two plain decimals as text, digit by digit: no arithmetic to go wrong in the same way. */
function compareText(left: string, right: string): number {
  const padded = (decimal: string): string => {
    const [whole = '', fraction = ''] = decimal.split('.');
    return whole.padStart(20, '0') + fraction.padEnd(20, '0');
  };
  return Math.sign(padded(left).localeCompare(padded(right), 'en'));
}

describe('a threshold of the policy', () => {
  test.each([
    ['USD', 4_999, '50.00', -1],
    ['USD', 5_000, '50.00', 0],
    ['USD', 5_001, '50.00', 1],
    ['USD', 5_000, '50', 0],
    ['JPY', 50, '50.00', 0],
    ['JPY', 49, '49.5', -1],
    ['JPY', 50, '49.5', 1],
    ['KWD', 50_000, '50.00', 0],
    ['KWD', 50_001, '50.00', 1],
    ['HUF', 5_000, '50.00', 0],
    ['BGN', 5_000, '50.00', 0],
    ['USD', 5_000, '49.9999', 1],
    ['USD', Number.MAX_SAFE_INTEGER, '90071992547409.91', 0],
  ])('R10: %s %i against %s is %i', (currency, minor, figure, expected) => {
    expect(compareToMajor(minor, currency, figure)).toBe(expected);
  });

  test('R10: compares exactly as the decimals read, in every currency', () => {
    fc.assert(
      fc.property(minorArbitrary, currencyArbitrary, figureArbitrary, (minor, currency, figure) => {
        expect(compareToMajor(minor, currency, figure)).toBe(
          compareText(formatAmount({ minor, currency }), figure),
        );
      }),
    );
  });

  test('R10: an amount is equal to itself, and one minor unit makes the difference', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 12 }), currencyArbitrary, (minor, currency) => {
        const figure = formatAmount({ minor, currency });
        expect([-1, 0, 1].map((step) => compareToMajor(minor + step, currency, figure))).toEqual([-1, 0, 1]);
      }),
    );
  });

  test.each(['usd', 'XAU', '', '__proto__'])('R10: %j is no currency to compare in', (currency) => {
    expect(exponentOfPaymentCurrency(currency)).toBeUndefined();
    expect(refusalOf(() => compareToMajor(1, currency, '1'))).toBe('currency_unknown');
  });
});
