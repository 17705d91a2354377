import { CountersignError } from '../errors';
import { exponentOfPaymentCurrency } from '../money/currencies';

/**
 * Compares minor units of `currency` with a policy figure in major units, exactly: -1, 0 or 1.
 * A figure with more decimals than the currency still compares exactly (49.5 against JPY 49 or 50).
 */
export function compareToMajor(minor: number, currency: string, major: string): -1 | 0 | 1 {
  const exponent = exponentOfPaymentCurrency(currency);
  if (exponent === undefined)
    throw new CountersignError('currency_unknown', `${currency} is not a known currency`);
  const [whole = '0', fraction = ''] = major.split('.');
  const scale = Math.max(exponent, fraction.length);
  const left = BigInt(minor) * 10n ** BigInt(scale - exponent);
  const right = BigInt(whole + fraction.padEnd(scale, '0'));
  return left < right ? -1 : left > right ? 1 : 0;
}
