import { formatAmount } from '../money/decimal';

/**
 * What our own records say of the past of a refund's payment and its customer, at one moment. The refund itself never
 * counts; a refund counts while it holds money or has moved it. Amounts in minor units of `currency`. What is not
 * known is absent, and never 0: no rule passes on the strength of it (ADR 0015).
 */
export interface RiskFacts {
  readonly currency: string;
  readonly payment: {
    /** Ours; those made by hand at the provider are in the sum only, since nobody counted them. */
    readonly refunds: number;
    readonly refunded: number;
    /** Refunds of this payment that people have rejected. */
    readonly rejections: number;
    /** Whole hours since it was paid. */
    readonly ageHours: number;
    /** What is under dispute, as the provider said when it was last asked. */
    readonly disputed: number;
  };
  /** Absent where nobody knows whose payment it is. */
  readonly customer?: CustomerHistory;
  /** The money goes to another method than it came from; absent where the provider does not say with what was paid. */
  readonly toOtherMethod?: boolean;
}

export interface CustomerHistory {
  /** Of all time, in all currencies; the sum is of the refund's own currency. */
  readonly refunds: number;
  readonly refunded: number;
  /** By when they were asked for. */
  readonly lastHour: number;
  readonly lastDay: number;
  readonly last30Days: number;
  readonly rejections: number;
}

/** As doors show it: amounts in major units, and `null` for what is not known. */
export function riskView({ currency, payment, customer, toOtherMethod }: RiskFacts) {
  const major = (minor: number) => ({ value: formatAmount({ minor, currency }), currency });
  return {
    payment: { ...payment, refunded: major(payment.refunded), disputed: major(payment.disputed) },
    customer: customer ? { ...customer, refunded: major(customer.refunded) } : null,
    toOtherMethod: toOtherMethod ?? null,
  };
}
