import { CountersignError } from '../errors';
import { exponentOfPaymentCurrency } from './currencies';

/** An amount in minor units of its currency: an integer from 0 to `Number.MAX_SAFE_INTEGER`. */
export interface Money {
  readonly minor: number;
  readonly currency: string;
}

/** Builds Money from minor units. Refuses with `amount_invalid` or `currency_unknown`. */
export function moneyOf(minor: number, currency: string): Money {
  if (exponentOfPaymentCurrency(currency) === undefined) throw new CountersignError('currency_unknown');
  refuseUnlessMinorUnits(minor);
  return { minor, currency };
}

/** Refuses with `currency_mismatch`, or with `amount_too_large` past the safe integers. */
export function add(left: Money, right: Money): Money {
  refuseMixed(left, right);
  // Subtracting first: the sum itself could already be rounded.
  if (left.minor > Number.MAX_SAFE_INTEGER - right.minor) throw new CountersignError('amount_too_large');
  return { minor: left.minor + right.minor, currency: left.currency };
}

/** Refuses with `currency_mismatch`, or with `amount_not_positive` below zero. */
export function subtract(left: Money, right: Money): Money {
  refuseMixed(left, right);
  if (right.minor > left.minor) {
    throw new CountersignError('amount_not_positive', 'More would be taken away than there is.');
  }
  return { minor: left.minor - right.minor, currency: left.currency };
}

/** -1 when `left` is less, 0 when equal, 1 when more. Refuses with `currency_mismatch`. */
export function compare(left: Money, right: Money): -1 | 0 | 1 {
  refuseMixed(left, right);
  if (left.minor === right.minor) return 0;
  return left.minor < right.minor ? -1 : 1;
}

export function isZero(money: Money): boolean {
  return money.minor === 0;
}

/** Refuses anything but a safe integer of at least zero (`amount_invalid`): a fraction, NaN, a string. */
export function refuseUnlessMinorUnits(minor: number): void {
  if (!Number.isSafeInteger(minor) || minor < 0) {
    throw new CountersignError('amount_invalid', 'Minor units are a whole number from zero to 2^53 - 1.');
  }
}

function refuseMixed(left: Money, right: Money): void {
  refuseUnlessMinorUnits(left.minor);
  refuseUnlessMinorUnits(right.minor);
  if (left.currency !== right.currency) {
    throw new CountersignError('currency_mismatch', `${left.currency} and ${right.currency} do not mix.`);
  }
}
