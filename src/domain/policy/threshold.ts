import { CountersignError } from '../errors';
import { exponentOfPaymentCurrency } from '../money/currencies';

/**
 * Compares minor units of `currency` with a policy figure in major units, exactly: -1, 0 or 1.
 * A figure with more decimals than the currency still compares exactly (49.5 against JPY 49 or 50).
 */
export function compareToMajor(minor: number, currency: string, major: string): -1 | 0 | 1 {
  const exponent = exponentOf(currency);
  const [whole = '0', fraction = ''] = major.split('.');
  const scale = Math.max(exponent, fraction.length);
  const left = BigInt(minor) * 10n ** BigInt(scale - exponent);
  const right = BigInt(whole + fraction.padEnd(scale, '0'));
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * The most whole minor units of `currency` that are not above a figure in major units, so that an amount compares with
 * it as with the figure itself. Never more than the largest safe integer, which no amount is above.
 */
export function floorToMinor(major: string, currency: string): number {
  const exponent = exponentOf(currency);
  const [whole = '0', fraction = ''] = major.split('.');
  const minor = BigInt(whole + fraction.slice(0, exponent).padEnd(exponent, '0'));
  return Number(minor > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : minor);
}

function exponentOf(currency: string): number {
  const exponent = exponentOfPaymentCurrency(currency);
  if (exponent === undefined)
    throw new CountersignError('currency_unknown', `${currency} is not a known currency`);
  return exponent;
}
