import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError, which commander shows as wrong usage */
export function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('a whole number is wanted');
  return Number(value);
}

export function chance(value: string): number {
  if (!/^(?:[01]|0?\.\d{1,9})$/.test(value))
    throw new InvalidArgumentError('a number from 0 to 1 is wanted, such as 0.2');
  return Number(value);
}

export function atMost50(value: string): number {
  const count = wholeNumber(value);
  if (count < 1 || count > 50) throw new InvalidArgumentError('a whole number from 1 to 50 is wanted');
  return count;
}
