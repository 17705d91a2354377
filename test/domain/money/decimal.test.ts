import fc from 'fast-check';
import { exponentOf, exponentOfPaymentCurrency } from '../../../src/domain/money/currencies';
import { formatAmount, parseAmount } from '../../../src/domain/money/decimal';
import {
  currencyArbitrary,
  minorArbitrary,
  moneyArbitrary,
  paymentCurrencies,
  refusalOf,
} from './arbitraries';

describe('amount strings', () => {
  test.each([
    ['49.00', 'USD', 4900, '49.00'],
    ['49.0', 'USD', 4900, '49.00'],
    ['49', 'USD', 4900, '49.00'],
    ['0.50', 'USD', 50, '0.50'],
    ['0.5', 'USD', 50, '0.50'],
    ['0.01', 'EUR', 1, '0.01'],
    ['500', 'JPY', 500, '500'],
    ['5.124', 'KWD', 5124, '5.124'],
    ['5', 'KWD', 5000, '5.000'],
    ['10.45', 'HUF', 1045, '10.45'],
    ['1.20', 'MGA', 120, '1.20'],
    ['90071992547409.91', 'USD', Number.MAX_SAFE_INTEGER, '90071992547409.91'],
    ['9007199254740991', 'JPY', Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['9007199254740.991', 'KWD', Number.MAX_SAFE_INTEGER, '9007199254740.991'],
  ])('R10: %s %s is %i minor units and reads %s', (value, currency, minor, canonical) => {
    const money = parseAmount(value, currency);
    expect(money).toEqual({ minor, currency });
    expect(formatAmount(money)).toBe(canonical);
  });

  test.each([
    ...['', ' ', '-1', '+1', '-0', '1e3', '1E3', '0x10', '1,000', '1_000', '1 000', ' 1', '1 ', '1\n', '\t1'],
    ...[
      '00',
      '01',
      '00.50',
      '.5',
      '5.',
      '.',
      '1..2',
      '1.2.3',
      '1,50',
      '$1',
      '1USD',
      'NaN',
      'Infinity',
      'one',
    ],
    ...[
      '\u0661\u0662',
      '1\u066b5',
      '\uff11',
      '\u00bd',
      '\u00b2',
      '1\u200b',
      '1\u00a0',
      '1\u0000',
      '0b1',
      '1n',
      '--1',
    ],
  ])('R10: %j is no amount', (value) => {
    expect(refusalOf(() => parseAmount(value, 'USD'))).toBe('amount_invalid');
  });

  test.each([49, 49.5, null, undefined, {}, ['49'], 49n])('R10: %p is no amount string', (value) => {
    expect(refusalOf(() => parseAmount(value as string, 'USD'))).toBe('amount_invalid');
  });

  test.each([
    ['0', 'USD', 'amount_not_positive'],
    ['0.00', 'USD', 'amount_not_positive'],
    ['0', 'JPY', 'amount_not_positive'],
    ['49.001', 'USD', 'amount_too_precise'],
    ['49.000', 'USD', 'amount_too_precise'],
    ['500.0', 'JPY', 'amount_too_precise'],
    ['5.1240', 'KWD', 'amount_too_precise'],
    ['0.000', 'USD', 'amount_too_precise'],
    ['90071992547409.92', 'USD', 'amount_too_large'],
    ['9007199254740992', 'JPY', 'amount_too_large'],
    ['9007199254740993', 'JPY', 'amount_too_large'],
    ['9007199254740.992', 'KWD', 'amount_too_large'],
    ['9999999999999999', 'USD', 'amount_too_large'],
    ['1', 'usd', 'currency_unknown'],
    ['1', 'XAU', 'currency_unknown'],
    ['1', 'XXX', 'currency_unknown'],
    ['1', 'CLF', 'currency_unknown'],
    ['1', '', 'currency_unknown'],
    ['1', 'BGN', 'currency_unknown'],
  ] as const)('R10: %s %s is refused as %s', (value, currency, code) => {
    expect(refusalOf(() => parseAmount(value, currency))).toBe(code);
  });

  test('R10: a withdrawn currency is read where the payment has it', () => {
    expect(parseAmount('12.30', 'BGN', { allowWithdrawn: true })).toEqual({ minor: 1230, currency: 'BGN' });
    expect(parseAmount('12.30', 'USD', { allowWithdrawn: true })).toEqual({ minor: 1230, currency: 'USD' });
    expect(refusalOf(() => parseAmount('12.30', 'BGN', { allowWithdrawn: false }))).toBe('currency_unknown');
    expect(refusalOf(() => parseAmount('12.30', 'XXX', { allowWithdrawn: true }))).toBe('currency_unknown');
  });

  test('R10: a huge string is refused for what it is', () => {
    const digits = '9'.repeat(5_000_000);
    expect(refusalOf(() => parseAmount(digits, 'USD'))).toBe('amount_too_large');
    expect(refusalOf(() => parseAmount(`1.${digits}`, 'USD'))).toBe('amount_too_precise');
    expect(refusalOf(() => parseAmount(`${' '.repeat(5_000_000)}1`, 'USD'))).toBe('amount_invalid');
    expect(refusalOf(() => parseAmount('0'.repeat(5_000_000), 'USD'))).toBe('amount_invalid');
  });

  test('R10: what is formatted parses to the same amount, in every currency', () => {
    for (const currency of paymentCurrencies) {
      fc.assert(
        fc.property(
          minorArbitrary.filter((minor) => minor > 0),
          (minor) => {
            const text = formatAmount({ minor, currency });
            expect(parseAmount(text, currency, { allowWithdrawn: true })).toEqual({ minor, currency });
          },
        ),
        { numRuns: 30 },
      );
    }
  });

  test("R10: the canonical form has exactly the currency's decimals and the amount's digits", () => {
    fc.assert(
      fc.property(moneyArbitrary, ({ minor, currency }) => {
        const [whole = '', decimals = ''] = formatAmount({ minor, currency }).split('.');
        expect(decimals).toHaveLength(exponentOfPaymentCurrency(currency) ?? -1);
        expect(BigInt(whole + decimals)).toBe(BigInt(minor));
        expect(whole).toMatch(/^(0|[1-9][0-9]*)$/);
      }),
    );
    expect(formatAmount({ minor: 0, currency: 'USD' })).toBe('0.00');
    expect(refusalOf(() => formatAmount({ minor: 1.5, currency: 'USD' }))).toBe('amount_invalid');
    expect(refusalOf(() => formatAmount({ minor: 1, currency: 'XXX' }))).toBe('currency_unknown');
  });

  test('R10: fewer decimals mean the same amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), currencyArbitrary, (whole, currency) => {
        const exponent = exponentOfPaymentCurrency(currency) ?? -1;
        const options = { allowWithdrawn: true };
        const full = exponent === 0 ? String(whole) : `${whole}.${'0'.repeat(exponent)}`;
        expect(parseAmount(String(whole), currency, options)).toEqual(parseAmount(full, currency, options));
      }),
    );
  });

  test('R10: any other string never parses, and what parses is the exact decimal value', () => {
    const soup = fc.string({ unit: fc.constantFrom(...'0123456789.,-+eE _x\u06635'), maxLength: 24 });
    fc.assert(
      fc.property(
        fc.oneof(soup, fc.string({ unit: 'binary', maxLength: 24 })),
        currencyArbitrary,
        (value, currency) => {
          if (/^(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(value) && exponentOf(currency) !== undefined) return;
          expect(['amount_invalid', 'currency_unknown']).toContain(
            refusalOf(() => parseAmount(value, currency)),
          );
        },
      ),
      { numRuns: 2000 },
    );
    const wellFormed = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.stringMatching(/^[0-9]{1,5}$/));
    fc.assert(
      fc.property(wellFormed, fc.constantFrom('JPY', 'USD', 'KWD'), ([whole, decimals], currency) => {
        const exponent = exponentOf(currency) ?? -1;
        const value = `${whole}.${decimals}`;
        if (decimals.length > exponent) {
          expect(refusalOf(() => parseAmount(value, currency))).toBe('amount_too_precise');
          return;
        }
        const exact = BigInt(whole) * 10n ** BigInt(exponent) + BigInt(decimals.padEnd(exponent, '0'));
        if (exact === 0n) expect(refusalOf(() => parseAmount(value, currency))).toBe('amount_not_positive');
        else if (exact > BigInt(Number.MAX_SAFE_INTEGER)) {
          expect(refusalOf(() => parseAmount(value, currency))).toBe('amount_too_large');
        } else expect(BigInt(parseAmount(value, currency).minor)).toBe(exact);
      }),
      { numRuns: 500 },
    );
  });
});
