import type { DecisionAnswer } from '../domain/approval/message';
import type { ReviewOrder } from '../domain/refund/review';

export interface StoredOrder extends ReviewOrder {
  readonly answer: DecisionAnswer | null;
  readonly epoch: string | null;
}

/** What people ordered about runs in review. */
export interface Reviews {
  record(order: ReviewOrder, comment?: string): Promise<void>;
  find(id: string): Promise<StoredOrder | undefined>;
  /** @param epoch the execution that answered it; null where the run itself never had it */
  answer(id: string, answer: DecisionAnswer, epoch: string | null): Promise<void>;
  /** Answers every order of a run that nothing has answered yet. @returns their ids */
  answerOpen(runId: string, answer: DecisionAnswer, epoch: string): Promise<string[]>;
  /** What one execution has answered counts as answered by the one that goes on from it (R35). */
  takeOver(runId: string, from: string, epoch: string): Promise<void>;
}

/** Events of the provider that this account has seen. */
export interface ProviderEvents {
  isHandled(account: string, eventId: string): Promise<boolean>;
  /** Only now: what dies before this is handled again with the provider's next delivery. */
  recordHandled(account: string, eventId: string, type: string): Promise<void>;
  tenantOf(account: string, paymentId: string): Promise<string | undefined>;
}
