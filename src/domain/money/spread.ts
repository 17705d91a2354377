import type { Money } from './money';

/** How amounts of one currency lie: minor units. */
export interface Spread<Item> {
  readonly sum: Money;
  readonly smallest: Money;
  readonly median: Money;
  readonly largest: Money;
  /** Far above the rest, largest first. */
  readonly outliers: readonly Item[];
}

/**
 * Sum, spread and what stands out; items of one currency. An outlier lies more than three times the range of the middle
 * half above it (Tukey's outer fence), or more than ten times the median where that half is one amount.
 */
export function spreadOf<Item extends { readonly amount: Money }>(items: readonly Item[]): Spread<Item> {
  const amounts = items.map(({ amount }) => amount.minor).sort((a, b) => a - b);
  const currency = items[0]?.amount.currency ?? 'USD';
  const money = (minor: number): Money => ({ minor, currency });
  const [lower, middle, upper] = [0.25, 0.5, 0.75].map((share) => quantile(amounts, share));
  const fence = upper === lower ? (middle ?? 0) * 10 : (upper ?? 0) + 3 * ((upper ?? 0) - (lower ?? 0));
  return {
    sum: money(amounts.reduce((sum, minor) => sum + minor, 0)),
    smallest: money(amounts[0] ?? 0),
    median: money(middle ?? 0),
    largest: money(amounts.at(-1) ?? 0),
    outliers: items
      .filter(({ amount }) => amount.minor > fence)
      .sort((a, b) => b.amount.minor - a.amount.minor),
  };
}

/** The value below which that share of them lies; of the two beside it, the lower. */
function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.floor((sorted.length - 1) * share)];
}
