import { formatAmount } from '../money/decimal';
import type { AdmittedLine } from '../refund/lines';

/** A run's own record, as far as reviewers see it. */
interface ReviewedRun {
  readonly customer: string | null;
  readonly request: {
    readonly orderId?: string | undefined;
    readonly evidence?: unknown;
    readonly forkedFrom?: unknown;
  };
  readonly note: string | null;
  readonly splitId: string | null;
  readonly lines: readonly AdmittedLine[];
}

/** One payment's money, minor units; `paidAt` in ms since the epoch. */
interface ReviewedPayment {
  readonly currency: string;
  readonly captured: number;
  readonly refunded: number;
  readonly reserved: number;
  readonly disputed: number;
  readonly paidAt: number;
}

/** What the reviewer sees beside the request, from our own records. Amounts in major units. */
export function reviewerFacts(run: ReviewedRun, payment: ReviewedPayment): Record<string, unknown> {
  const { currency } = payment;
  const major = (minor: number) => ({ value: formatAmount({ minor, currency }), currency });
  return {
    payment: {
      captured: major(payment.captured),
      refunded: major(payment.refunded),
      reserved: major(payment.reserved),
      disputed: major(payment.disputed),
      paidAt: new Date(payment.paidAt).toISOString(),
    },
    customer: run.customer,
    orderId: run.request.orderId ?? null,
    note: run.note,
    evidence: run.request.evidence ?? [],
    ...(run.splitId === null ? {} : { splitId: run.splitId }),
    ...(run.request.forkedFrom === undefined ? {} : { forkedFrom: run.request.forkedFrom }),
    ...(run.lines.length > 0 ? { lines: run.lines } : {}),
  };
}
