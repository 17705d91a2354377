import fc from 'fast-check';
import { moneyOf } from '../../../src/domain/money/money';
import { fromProviderAmount, toProviderAmount } from '../../../src/domain/money/providerAmounts';
import { minorArbitrary, paymentCurrencies, refusalOf } from './arbitraries';

describe('provider amounts', () => {
  test.each([
    ['USD', 4900, 4900],
    ['JPY', 500, 500],
    ['KRW', 500, 500],
    ['HUF', 1045, 1045],
    ['TWD', 80045, 80045],
    ['ISK', 5, 500],
    ['UGX', 5, 500],
    ['MGA', 500, 5],
    ['KWD', 5120, 5120],
    ['TND', 10, 10],
    ['BGN', 1999, 1999],
  ])('R10: %s %i minor units are %i at the provider, both ways', (currency, minor, provider) => {
    expect(toProviderAmount(moneyOf(minor, currency))).toBe(provider);
    expect(fromProviderAmount(provider, currency)).toEqual({ minor, currency });
  });

  test.each([
    ['KWD', 5124],
    ['BHD', 1],
    ['JOD', 5125],
    ['OMR', 999],
    ['TND', 11],
    ['MGA', 120],
    ['ISK', Number.MAX_SAFE_INTEGER],
  ])(
    'R10: %s %i minor units cannot be moved exactly, so they are refused and not rounded',
    (currency, minor) => {
      expect(refusalOf(() => toProviderAmount(moneyOf(minor, currency)))).toBe('amount_not_representable');
    },
  );

  test('R10: what the provider reports is read exactly or refused', () => {
    expect(fromProviderAmount(5124, 'KWD')).toEqual({ minor: 5124, currency: 'KWD' });
    expect(refusalOf(() => fromProviderAmount(550, 'ISK'))).toBe('amount_not_representable');
    expect(refusalOf(() => fromProviderAmount(550, 'UGX'))).toBe('amount_not_representable');
    expect(refusalOf(() => fromProviderAmount(Number.MAX_SAFE_INTEGER, 'MGA'))).toBe(
      'amount_not_representable',
    );
    expect(refusalOf(() => fromProviderAmount(1.5, 'USD'))).toBe('amount_invalid');
    expect(refusalOf(() => fromProviderAmount(-1, 'USD'))).toBe('amount_invalid');
    expect(refusalOf(() => fromProviderAmount(1, 'usd'))).toBe('currency_unknown');
    expect(refusalOf(() => toProviderAmount({ minor: 1, currency: 'XXX' }))).toBe('currency_unknown');
    expect(refusalOf(() => toProviderAmount({ minor: 0.5, currency: 'USD' }))).toBe('amount_invalid');
  });

  test('R10: every amount that the provider can move comes back as it went, in every currency', () => {
    let moved = 0;
    for (const currency of paymentCurrencies) {
      fc.assert(
        fc.property(
          fc.oneof(
            minorArbitrary,
            fc.nat({ max: 1_000_000 }).map((n) => n * 100),
          ),
          (minor) => {
            let sent: number;
            try {
              sent = toProviderAmount({ minor, currency });
            } catch {
              expect(refusalOf(() => toProviderAmount({ minor, currency }))).toBe('amount_not_representable');
              return;
            }
            moved += 1;
            expect(Number.isSafeInteger(sent)).toBe(true);
            expect(fromProviderAmount(sent, currency)).toEqual({ minor, currency });
          },
        ),
        { numRuns: 30 },
      );
      // Whole hundreds of major units pass everywhere.
      const minor = 100_000;
      expect(fromProviderAmount(toProviderAmount({ minor, currency }), currency)).toEqual({
        minor,
        currency,
      });
    }
    expect(moved).toBeGreaterThan(paymentCurrencies.length * 15);
  });
});
