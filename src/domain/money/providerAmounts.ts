import { CountersignError } from '../errors';
import { exponentOfPaymentCurrency } from './currencies';
import { refuseUnlessMinorUnits, type Money } from './money';

interface ProviderRule {
  /** Decimals of the integer that goes over the wire. */
  readonly exponent: number;
  /** That integer must be a multiple of this. */
  readonly multipleOf: number;
}

/**
 * Where Stripe counts a currency otherwise than ISO 4217, after docs.stripe.com/currencies as of 2026-09
 * (the rule for three decimals: as of 2022-12, the page has not repeated it since; the stricter reading is kept).
 *
 * - ISK and UGX have no decimals, but go over the wire with two that must be 00, as whole units scaled up are.
 *   (UGX is also on Stripe's list of zero-decimal currencies; its entry under the special cases holds for amounts.)
 * - MGA is on Stripe's list of zero-decimal currencies; ISO 4217 gives it two. The rest of that list (BIF, CLP, DJF,
 *   GNF, JPY, KMF, KRW, PYG, RWF, VND, VUV, XAF, XOF, XPF) has none in ISO 4217 either.
 * - Three-decimal currencies take refunds only with a last digit of 0.
 * - HUF and TWD are not here: only payouts need whole hundreds, charges and refunds have two decimals.
 */
const stripeDiffers: ReadonlyMap<string, ProviderRule> = new Map([
  ['ISK', { exponent: 2, multipleOf: 1 }],
  ['UGX', { exponent: 2, multipleOf: 1 }],
  ['MGA', { exponent: 0, multipleOf: 1 }],
  ['BHD', { exponent: 3, multipleOf: 10 }],
  ['JOD', { exponent: 3, multipleOf: 10 }],
  ['KWD', { exponent: 3, multipleOf: 10 }],
  ['OMR', { exponent: 3, multipleOf: 10 }],
  ['TND', { exponent: 3, multipleOf: 10 }],
]);

/**
 * The integer that Stripe is sent for this amount; nothing is rounded.
 * Refuses with `amount_not_representable`, `currency_unknown` or `amount_invalid`.
 */
export function toProviderAmount({ minor, currency }: Money): number {
  const { iso, provider } = rulesOf(currency);
  refuseUnlessMinorUnits(minor);
  const amount = rescale(minor, iso, provider.exponent);
  if (amount === undefined || amount % provider.multipleOf !== 0) {
    throw new CountersignError('amount_not_representable', undefined, { currency });
  }
  return amount;
}

/**
 * The money that an integer of Stripe's means. A three-decimal amount not ending in 0 is still exact money, so it is
 * read; a fraction of a currency that has none is not (`amount_not_representable`).
 * The code must be in upper case already; refuses also with `currency_unknown` or `amount_invalid`.
 */
export function fromProviderAmount(amount: number, currency: string): Money {
  const { iso, provider } = rulesOf(currency);
  refuseUnlessMinorUnits(amount);
  const minor = rescale(amount, provider.exponent, iso);
  if (minor === undefined) throw new CountersignError('amount_not_representable', undefined, { currency });
  return { minor, currency };
}

/** The smallest amount that Stripe can move in this currency, minor units: every other one is a multiple of it. */
export function providerStep(currency: string): number {
  const { iso, provider } = rulesOf(currency);
  return provider.multipleOf * 10 ** Math.max(iso - provider.exponent, 0);
}

function rulesOf(currency: string): { iso: number; provider: ProviderRule } {
  const iso = exponentOfPaymentCurrency(currency);
  if (iso === undefined) throw new CountersignError('currency_unknown');
  return { iso, provider: stripeDiffers.get(currency) ?? { exponent: iso, multipleOf: 1 } };
}

/** Undefined where the target would be a fraction or past the safe integers. */
function rescale(amount: number, from: number, to: number): number | undefined {
  if (from <= to) {
    const scaled = BigInt(amount) * 10n ** BigInt(to - from);
    return scaled <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(scaled) : undefined;
  }
  const divisor = 10n ** BigInt(from - to);
  return BigInt(amount) % divisor === 0n ? Number(BigInt(amount) / divisor) : undefined;
}
