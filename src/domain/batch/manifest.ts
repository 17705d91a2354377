import { formatAmount } from '../money/decimal';
import type { Money } from '../money/money';
import { spreadOf } from '../money/spread';
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

/** Sum, spread and what stands out; rows of one currency. */
export function summarize(rows: readonly ManifestRow[]): ManifestSummary {
  const { outliers, ...spread } = spreadOf(rows);
  const reasons: Partial<Record<RefundReason, number>> = {};
  for (const { reason } of rows) reasons[reason] = (reasons[reason] ?? 0) + 1;
  const perPayment = countsOf(rows.map(({ paymentId }) => paymentId));
  const perCustomer = countsOf(rows.flatMap(({ customer }) => (customer === null ? [] : [customer])));
  return {
    count: rows.length,
    ...spread,
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
