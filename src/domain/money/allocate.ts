import { CountersignError } from '../errors';
import { refuseUnlessMinorUnits, type Money } from './money';

/**
 * Splits an amount over integer weights by largest remainder: the parts sum exactly to the whole, and each is its
 * exact share rounded down or up by less than one minor unit. Equal remainders go to the earlier part first, so the
 * same input always gives the same parts. A weight of zero gets nothing.
 *
 * Weights are safe integers of at least zero, at least one of them above zero; anything else is `amount_invalid`.
 */
export function allocate(total: Money, weights: readonly number[]): Money[] {
  refuseUnlessMinorUnits(total.minor);
  if (!weights.every((weight) => Number.isSafeInteger(weight) && weight >= 0)) {
    throw new CountersignError('amount_invalid', 'Weights are whole numbers from zero to 2^53 - 1.');
  }
  // BigInt, since total times weight leaves the safe integers long before either of them does.
  const sum = weights.reduce((acc, weight) => acc + BigInt(weight), 0n);
  if (sum === 0n) throw new CountersignError('amount_invalid', 'There is no weight to split by.');

  const whole = BigInt(total.minor);
  const shares = weights.map((weight, index) => {
    const numerator = whole * BigInt(weight);
    return { index, floor: numerator / sum, remainder: numerator % sum };
  });
  const left = Number(whole - shares.reduce((acc, share) => acc + share.floor, 0n));
  const roundedUp = new Set(
    [...shares]
      .sort((a, b) => (a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1))
      .slice(0, left)
      .map((share) => share.index),
  );
  return shares.map(({ index, floor }) => ({
    minor: Number(floor) + (roundedUp.has(index) ? 1 : 0),
    currency: total.currency,
  }));
}
