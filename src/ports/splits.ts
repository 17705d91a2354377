import type { Money } from '../domain/money/money';
import type { RefundReason } from '../domain/refund/request';
import type { Allocation } from '../domain/refund/split';

/** A refund of an order over several of its payments, as it was asked for. */
export interface Split {
  readonly splitId: string;
  readonly requester: string;
  readonly orderId: string;
  readonly amount: Money;
  readonly reason: RefundReason;
  readonly allocation: Allocation;
  /** In the caller's order; `asked` is the name that he gave, `paymentId` the payment's one id. */
  readonly payments: readonly { readonly asked: string; readonly paymentId: string }[];
  /** ms since the epoch. */
  readonly createdAt: number;
}

export interface NewSplit extends Omit<Split, 'createdAt'> {
  readonly idempotencyKey: string;
  readonly fingerprint: string;
}

export interface Splits {
  /** The caller's key is one key for refunds and splits, kept for good (R3). `false`: it is taken already. */
  create(split: NewSplit): Promise<boolean>;
  find(splitId: string): Promise<Split | undefined>;
}
