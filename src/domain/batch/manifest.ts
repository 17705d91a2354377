import { formatAmount } from '../money/decimal';
import type { Money } from '../money/money';
import type { RefundReason } from '../refund/request';

/** One refund as it is frozen: what may run under the manifest is this and nothing else. */
export interface ManifestRow {
  readonly row: number;
  /** The run that it becomes, which its key makes. */
  readonly runId: string;
  /** The payment's one id. */
  readonly paymentId: string;
  readonly amount: Money;
  readonly reason: RefundReason;
  /** Of everything that the row asks for. */
  readonly fingerprint: string;
  readonly customer: string | null;
}

/** What the hash of a manifest is made over, row by row in their order. */
export function manifestContent(tenant: string, batchId: string, rows: readonly ManifestRow[]): string {
  return JSON.stringify([
    'countersign-manifest-1',
    tenant,
    batchId,
    rows.map(({ row, runId, paymentId, amount, reason, fingerprint }) => [
      row,
      runId,
      paymentId,
      amount.minor,
      amount.currency,
      reason,
      fingerprint,
    ]),
  ]);
}

export interface Outlier {
  readonly row: number;
  readonly paymentId: string;
  readonly amount: Money;
}

/** What a person sees of a manifest before he approves it. */
export interface ManifestSummary {
  readonly count: number;
  readonly sum: Money;
  readonly smallest: Money;
  readonly median: Money;
  readonly largest: Money;
  readonly payments: number;
  /** The most refunds that one payment, and one known customer, gets. */
  readonly mostOfOnePayment: number;
  readonly mostOfOneCustomer: number;
  readonly reasons: Readonly<Partial<Record<RefundReason, number>>>;
  /** Far above the rest, largest first. */
  readonly outliers: readonly Outlier[];
  readonly outlierCount: number;
}

/** How many outliers are shown; all are counted. */
const shownOutliers = 20;

/**
 * Sum, spread and what stands out; rows of one currency. An outlier lies more than three times the range of the middle
 * half above it (Tukey's outer fence), or more than ten times the median where that half is one amount.
 */
export function summarize(rows: readonly ManifestRow[]): ManifestSummary {
  const amounts = rows.map(({ amount }) => amount.minor).sort((a, b) => a - b);
  const currency = rows[0]?.amount.currency ?? 'USD';
  const money = (minor: number): Money => ({ minor, currency });
  const [lower, middle, upper] = [0.25, 0.5, 0.75].map((share) => quantile(amounts, share));
  const fence = upper === lower ? (middle ?? 0) * 10 : (upper ?? 0) + 3 * ((upper ?? 0) - (lower ?? 0));
  const outliers = rows
    .filter(({ amount }) => amount.minor > fence)
    .sort((a, b) => b.amount.minor - a.amount.minor);
  const reasons: Partial<Record<RefundReason, number>> = {};
  for (const { reason } of rows) reasons[reason] = (reasons[reason] ?? 0) + 1;
  const perPayment = countsOf(rows.map(({ paymentId }) => paymentId));
  const perCustomer = countsOf(rows.flatMap(({ customer }) => (customer === null ? [] : [customer])));
  return {
    count: rows.length,
    sum: money(amounts.reduce((sum, minor) => sum + minor, 0)),
    smallest: money(amounts[0] ?? 0),
    median: money(middle ?? 0),
    largest: money(amounts.at(-1) ?? 0),
    payments: perPayment.size,
    mostOfOnePayment: Math.max(0, ...perPayment.values()),
    mostOfOneCustomer: Math.max(0, ...perCustomer.values()),
    reasons,
    outliers: outliers
      .slice(0, shownOutliers)
      .map(({ row, paymentId, amount }) => ({ row, paymentId, amount })),
    outlierCount: outliers.length,
  };
}

/** The reason that most rows have; the first in the file of those that are equally many. */
export function commonReason(rows: readonly { readonly reason: RefundReason }[]): RefundReason {
  const counts = countsOf(rows.map(({ reason }) => reason));
  const most = Math.max(0, ...counts.values());
  return [...counts].find(([, count]) => count === most)?.[0] ?? 'goodwill';
}

/** As doors show it: amounts in major units. */
export function summaryView(summary: ManifestSummary) {
  const view = (amount: Money) => ({ value: formatAmount(amount), currency: amount.currency });
  return {
    ...summary,
    sum: view(summary.sum),
    smallest: view(summary.smallest),
    median: view(summary.median),
    largest: view(summary.largest),
    outliers: summary.outliers.map((outlier) => ({ ...outlier, amount: view(outlier.amount) })),
  };
}

function countsOf<Key>(keys: readonly Key[]): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** The value below which that share of them lies; of the two beside it, the lower. */
function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.floor((sorted.length - 1) * share)];
}
