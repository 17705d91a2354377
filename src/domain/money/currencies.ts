import * as library from 'dinero.js/currencies';

/**
 * The currencies that pay for things, with the exponent that ISO 4217 gives each (its number of decimals).
 *
 * The list comes from dinero.js, whose table was compared with list one of ISO 4217 as published on 2026-01-01: of
 * 166 codes three were wrong and the rest right, so the library is kept and corrected here instead of keeping a
 * list of our own. A test holds the whole outcome against the standard, so an update of the library can't change
 * an exponent unnoticed.
 */
const differencesFromIso: ReadonlyMap<string, { iso: number | 'withdrawn'; why: string }> = new Map([
  ['MGA', { iso: 2, why: 'The library counts in fifths (base 5, exponent 1); ISO 4217 says two decimals.' }],
  ['MRU', { iso: 2, why: 'The library counts in fifths (base 5, exponent 1); ISO 4217 says two decimals.' }],
  ['BGN', { iso: 'withdrawn', why: 'Bulgaria has the euro since 2026-01-01; the library lists it still.' }],
]);

/**
 * Active codes of ISO 4217 that nobody is paid in: funds, units of account and indexed units, as of 2026-01-01.
 * Metals, XDR, XTS, XXX and the like are in no table here, so they are unknown too.
 */
const notMoney: ReadonlySet<string> = new Set([
  'BOV', // Mvdol, fund
  'CHE', // WIR euro, fund
  'CHW', // WIR franc, fund
  'CLF', // Unidad de Fomento, fund
  'COU', // Unidad de Valor Real, fund
  'MXV', // Unidad de Inversion, fund
  'USN', // US dollar (next day), fund
  'UYI', // Uruguay peso in indexed units, fund
  'UYW', // Unidad Previsional, wage index
  'XAD', // Arab Accounting Dinar, reserve asset
]);

/**
 * Withdrawn since 2011, before which no payment of today's providers was made; the dates are those of ISO 4217's
 * list three of 2026-01-01. A payment made while a code was valid keeps it, so its refund must be readable.
 */
export const withdrawnCurrencies: ReadonlyMap<string, { exponent: number; withdrawn: string }> = new Map([
  ['EEK', { exponent: 2, withdrawn: '2011-01' }],
  ['ZMK', { exponent: 2, withdrawn: '2012-12' }],
  ['LVL', { exponent: 2, withdrawn: '2014-01' }],
  ['LTL', { exponent: 2, withdrawn: '2014-12' }],
  ['BYR', { exponent: 0, withdrawn: '2017-01' }],
  ['MRO', { exponent: 2, withdrawn: '2017-12' }],
  ['STD', { exponent: 2, withdrawn: '2017-12' }],
  ['VEF', { exponent: 2, withdrawn: '2018-08' }],
  ['CUC', { exponent: 2, withdrawn: '2021-06' }],
  ['HRK', { exponent: 2, withdrawn: '2023-01' }],
  ['SLL', { exponent: 2, withdrawn: '2023-12' }],
  ['ZWL', { exponent: 2, withdrawn: '2024-09' }],
  ['ANG', { exponent: 2, withdrawn: '2025-03' }],
  ['BGN', { exponent: 2, withdrawn: '2026-01' }],
]);

const activeExponents: ReadonlyMap<string, number> = new Map(
  Object.entries(library).flatMap(([code, { base, exponent }]) => {
    // `default` is the module itself, which compiled CommonJS adds to an ES module's exports.
    if (code === 'default' || notMoney.has(code)) return [];
    const difference = differencesFromIso.get(code);
    if (difference !== undefined)
      return difference.iso === 'withdrawn' ? [] : [[code, difference.iso] as const];
    // A currency that isn't counted in tens has no decimals to speak of; unknown is safer than wrong.
    return base === 10 ? [[code, exponent] as const] : [];
  }),
);

/** Every active code, in alphabetical order. */
export const activeCurrencies: readonly string[] = [...activeExponents.keys()].sort();

/** Decimals of an active currency by ISO 4217; undefined for any other string, also for a lower-case code. */
export function exponentOf(code: string): number | undefined {
  return activeExponents.get(code);
}

/** As `exponentOf`, and knows withdrawn codes too: for what an existing payment was made in. */
export function exponentOfPaymentCurrency(code: string): number | undefined {
  return activeExponents.get(code) ?? withdrawnCurrencies.get(code)?.exponent;
}

export function isActiveCurrency(code: string): boolean {
  return activeExponents.has(code);
}
