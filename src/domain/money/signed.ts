import { formatAmount } from './decimal';
import type { Money } from './money';

/** As `formatAmount`, with a minus before what is below zero: movements of a ledger go both ways. */
export function formatSigned({ minor, currency }: Money): string {
  return `${minor < 0 ? '-' : ''}${formatAmount({ minor: Math.abs(minor), currency })}`;
}
