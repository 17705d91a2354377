import type { Money } from '../domain/money/money';
import type { ProviderRefund, ProviderRefundStatus } from '../domain/refund/providerRefund';
import type { RefundReason } from '../domain/refund/request';

/** The provider's own record of a payment; amounts in minor units of `currency`. */
export interface ProviderPayment {
  /** The provider account that took the payment. */
  readonly account: string;
  /** One id per payment: `pi_…` and `ch_…` that name the same payment give the same id. */
  readonly paymentId: string;
  readonly currency: string;
  readonly captured: number;
  /** The authorization was given up before anything was captured. */
  readonly voided?: true;
  /** Refunds that are not ours: made by hand at the provider, pending ones included. */
  readonly refundedElsewhere: number;
  readonly disputed: number;
  /** Refunds that carry our metadata; whether they are ours, our own journal says. */
  readonly markedOurs?: readonly {
    readonly id: string;
    readonly runId: string;
    readonly amount: number;
  }[];
  readonly customer?: string;
  /** The payment intent that the payment was made through. */
  readonly intent?: string;
  /** Whether its refunds go back to the method that it was paid with; absent where that is not known. */
  readonly refundedTo?: 'same_method' | 'other_method';
  /** ms since the epoch. */
  readonly paidAt: number;
}

/** A payment with every refund of it, as the provider lists them. */
export interface ProviderBooks {
  readonly payment: ProviderPayment;
  readonly refunds: readonly ProviderRefund[];
}

/** Refunds of the whole account by the time they were made, both ends included, ms since the epoch. */
export interface RefundPageRequest {
  readonly from: number;
  readonly to: number;
  /** The last refund of the page before. */
  readonly after?: string;
  /** At most 100. */
  readonly limit: number;
}

/** Which refunds there are; what they say is read with their payment. */
export interface RefundPage {
  readonly refunds: readonly { readonly id: string; readonly paymentId: string; readonly runId?: string }[];
  /** Null on the last page. */
  readonly next: string | null;
}

export type { ProviderRefund, ProviderRefundStatus };

export interface IssueRefund {
  /** `<runId>:issue_refund`, with the round after a proven failure: the same for every attempt (R1). */
  readonly key: string;
  readonly runId: string;
  readonly paymentId: string;
  readonly amount: Money;
  readonly reason: RefundReason;
}

/**
 * The payment provider. Every method throws CountersignError `provider_*` as adapters/payments/failureTable.ts
 * maps it; `loadPayment` also `payment_unknown`.
 */
export interface PaymentProvider {
  /** @param timeoutMs how long to wait for the provider in all */
  loadPayment(paymentId: string, timeoutMs: number): Promise<ProviderPayment>;
  /** Moves money. The only method that does. */
  issueRefund(refund: IssueRefund): Promise<ProviderRefund>;
  getRefund(refundId: string): Promise<ProviderRefund>;
  /** Among the refunds of a payment, the one of this effect, by the key in its metadata (R5, R15). */
  findRefund(paymentId: string, key: string): Promise<ProviderRefund | undefined>;
  /** Every payment's refunds, newest first; ids only. */
  listRefunds(page: RefundPageRequest): Promise<RefundPage>;
  /** As `loadPayment`, and its refunds, read together. */
  readBooks(paymentId: string, timeoutMs: number): Promise<ProviderBooks>;
}

/** What an event of the provider is about; ids only, since the object itself is read again (R18). */
export interface ProviderEvent {
  readonly id: string;
  readonly type: string;
  readonly about:
    | { readonly kind: 'refund'; readonly refundId: string; readonly news: boolean }
    | { readonly kind: 'dispute'; readonly disputeId: string; readonly paymentId: string }
    | { readonly kind: 'other' };
}

/** Events as the provider sends them. */
export interface ProviderWebhooks {
  /** The account whose events these are. */
  readonly account: string;
  /** @throws CountersignError webhook_signature_invalid, also for one that is too old */
  read(rawBody: Uint8Array, signature: string): ProviderEvent;
}
