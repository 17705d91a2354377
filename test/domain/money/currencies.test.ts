import {
  activeCurrencies,
  exponentOf,
  exponentOfPaymentCurrency,
  isActiveCurrency,
  withdrawnCurrencies,
} from '../../../src/domain/money/currencies';

// List one of ISO 4217 as published on 2026-01-01, without funds, units of account and metals; compared with the
// data package `currency-codes` of 2026-02-01 too, which is made from the standard's own files: no difference.
const iso: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP
      CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS
      INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN
      MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE
      SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR
      ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
};
const isoExponents = Object.entries(iso).flatMap(([exponent, codes]) =>
  codes.split(/\s+/).map((code): [string, number] => [code, Number(exponent)]),
);

describe('currencies', () => {
  test('R10: the active currencies and their exponents are exactly those of ISO 4217', () => {
    const ours = activeCurrencies.map((code) => [code, exponentOf(code)]);
    expect(isoExponents).toHaveLength(155);
    expect(ours).toEqual([...isoExponents].sort(([a], [b]) => (a < b ? -1 : 1)));
  });

  test.each(['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW', 'XAD'])(
    'R10: %s is a fund or a unit of account, not money',
    (code) => {
      expect(exponentOfPaymentCurrency(code)).toBeUndefined();
    },
  );

  test.each(['XAU', 'XAG', 'XPT', 'XPD', 'XDR', 'XUA', 'XSU', 'XBA', 'XTS', 'XXX'])(
    'R10: %s is not money',
    (code) => {
      expect(exponentOfPaymentCurrency(code)).toBeUndefined();
    },
  );

  test.each(['usd', 'Usd', ' USD', 'USD ', '', 'US', 'USDX', '840', 'default', '__proto__', 'constructor'])(
    'R10: %j is no currency code',
    (code) => {
      expect(isActiveCurrency(code)).toBe(false);
      expect(exponentOfPaymentCurrency(code)).toBeUndefined();
    },
  );

  test('R10: withdrawn codes are known to payments only', () => {
    for (const [code, { exponent }] of withdrawnCurrencies) {
      expect([code, isActiveCurrency(code), exponentOf(code)]).toEqual([code, false, undefined]);
      expect([code, exponentOfPaymentCurrency(code)]).toEqual([code, exponent]);
    }
    expect([...withdrawnCurrencies.keys()]).toEqual(
      expect.arrayContaining(['BGN', 'HRK', 'SLL', 'ZWL', 'ANG', 'CUC', 'BYR']),
    );
    expect(exponentOfPaymentCurrency('BYR')).toBe(0);
  });
});
