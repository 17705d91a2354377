import fc from 'fast-check';
import { CountersignError, type ErrorCode } from '../../../src/domain/errors';
import { activeCurrencies, withdrawnCurrencies } from '../../../src/domain/money/currencies';
import type { Money } from '../../../src/domain/money/money';

export const paymentCurrencies = [...activeCurrencies, ...withdrawnCurrencies.keys()];

export const currencyArbitrary = fc.constantFrom(...paymentCurrencies);

/** Small ones and the largest ones, where rounding would show, more often than a plain draw gives them. */
export const minorArbitrary = fc.oneof(
  fc.integer({ min: 0, max: 2000 }),
  fc.maxSafeNat(),
  fc.integer({ min: 0, max: 2000 }).map((n) => Number.MAX_SAFE_INTEGER - n),
);

export const moneyArbitrary: fc.Arbitrary<Money> = fc.record({
  minor: minorArbitrary,
  currency: currencyArbitrary,
});

/** The code that a call is refused with; anything else than a refusal of ours fails the test. */
export function refusalOf(call: () => unknown): ErrorCode {
  let result: unknown;
  try {
    result = call();
  } catch (error) {
    if (error instanceof CountersignError) return error.code;
    throw error;
  }
  throw new Error(`expected a refusal, got ${JSON.stringify(result)}`);
}
