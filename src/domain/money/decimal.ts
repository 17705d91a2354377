import { CountersignError } from '../errors';
import { exponentOf, exponentOfPaymentCurrency } from './currencies';
import { refuseUnlessMinorUnits, type Money } from './money';

const decimalPattern = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;

/** Longer strings are refused by what their beginning says, so a huge one costs no more than this. */
const longestRead = 1000;

const longestSafeInteger = String(Number.MAX_SAFE_INTEGER).length;

/**
 * Reads an amount such as `"49.00"`, in major units. Fewer decimals than the currency has are fine; more are
 * refused even when they are zeros, since they show that the caller thinks of another currency.
 *
 * Withdrawn currencies are unknown unless `allowWithdrawn` says that the payment itself has one.
 *
 * Refuses with `amount_invalid`, `currency_unknown`, `amount_too_precise`, `amount_not_positive` or
 * `amount_too_large`, in this order.
 */
export function parseAmount(
  value: string,
  currency: string,
  { allowWithdrawn = false }: { readonly allowWithdrawn?: boolean } = {},
): Money {
  // Callers in plain JavaScript may hand over a number, whose digits are already lost.
  const match = typeof value === 'string' ? decimalPattern.exec(value.slice(0, longestRead)) : null;
  if (match === null) throw new CountersignError('amount_invalid');
  const exponent = (allowWithdrawn ? exponentOfPaymentCurrency : exponentOf)(currency);
  if (exponent === undefined) throw new CountersignError('currency_unknown');

  const whole = match[1] ?? '';
  const decimals = match[2] ?? '';
  if (decimals.length > exponent) {
    throw new CountersignError('amount_too_precise', `${currency} has ${exponent} decimals.`, { exponent });
  }
  if (whole.length > longestSafeInteger) throw new CountersignError('amount_too_large');
  const minor = BigInt(whole + decimals.padEnd(exponent, '0'));
  if (minor === 0n) throw new CountersignError('amount_not_positive');
  if (minor > BigInt(Number.MAX_SAFE_INTEGER)) throw new CountersignError('amount_too_large');
  return { minor: Number(minor), currency };
}

/**
 * The one canonical string of an amount, in major units with exactly the currency's decimals: `"49.00"`, `"500"`
 * for JPY. Refuses with `currency_unknown` or `amount_invalid`.
 */
export function formatAmount({ minor, currency }: Money): string {
  const exponent = exponentOfPaymentCurrency(currency);
  if (exponent === undefined) throw new CountersignError('currency_unknown');
  refuseUnlessMinorUnits(minor);
  if (exponent === 0) return String(minor);
  const digits = String(minor).padStart(exponent + 1, '0');
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}
