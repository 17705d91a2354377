import type { Money } from '../money/money';

export type ProviderRefundStatus = 'succeeded' | 'pending' | 'requires_action' | 'failed' | 'canceled';

export interface ProviderRefund {
  readonly id: string;
  readonly paymentId: string;
  readonly status: ProviderRefundStatus;
  readonly amount: Money;
  /** Ours, from the refund's metadata; absent on a refund made by hand. */
  readonly runId?: string;
  /** The key of our effect, from the same place. */
  readonly key?: string;
  /** ms since the epoch. */
  readonly createdAt?: number;
  readonly failureReason?: string;
}

/** Money that has not left, or has come back: such a refund takes nothing from its payment. Null: not said yet. */
export function hasFailed(status: string | null): boolean {
  return status === 'failed' || status === 'canceled';
}
