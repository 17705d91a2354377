import type { DecisionAnswer } from '../domain/approval/message';
import type { ReviewOrder } from '../domain/refund/review';

/** What people ordered about runs in review. */
export interface Reviews {
  record(order: ReviewOrder, comment?: string): Promise<void>;
  find(id: string): Promise<(ReviewOrder & { readonly answer: DecisionAnswer | null }) | undefined>;
  answer(id: string, answer: DecisionAnswer): Promise<void>;
}

/** Events of the provider that this account has seen. */
export interface ProviderEvents {
  /** @returns false for one that was handled already */
  begin(account: string, eventId: string, type: string): Promise<boolean>;
  /** Handling failed: the provider's next delivery shall be handled. */
  forget(account: string, eventId: string): Promise<void>;
  tenantOf(account: string, paymentId: string): Promise<string | undefined>;
}
