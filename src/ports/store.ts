import type { AgentRuns } from './agentRuns';
import type { Approvals, Decisions } from './approvals';
import type { Batches, BatchItems } from './batches';
import type { Brakes } from './brakes';
import type { Erasures, LegalHolds, PersonalData, Retention } from './erasures';
import type { Audit } from './audit';
import type { Inbox } from './inbox';
import type { Directory } from './directory';
import type { ApiKeys, ChannelKeys } from './keys';
import type { Knowledge } from './knowledge';
import type { EffectJournal, Ledger } from './ledger';
import type { MemoryReviews } from './memoryReviews';
import type { People } from './people';
import type { Policies } from './policies';
import type { PaymentBooks } from './paymentBooks';
import type { Differences, Reconciliations } from './reconciliations';
import type { RefundHistory } from './refundHistory';
import type { Reviews } from './reviews';
import type { Runs } from './runs';
import type { Splits } from './splits';
import type { Threads } from './threads';

export interface Notification {
  /** `<runId>:notify`: told once. */
  readonly key: string;
  readonly runId: string;
  readonly recipient: string | null;
  readonly template:
    | 'approval_waiting'
    | 'approval_delegated'
    | 'info_requested'
    | 'info_answered'
    | 'review_waiting'
    | 'refund_failed_later'
    | 'differences_found'
    | 'agent_run_needs_review'
    | 'refund_completed'
    | 'refund_rejected'
    | 'refund_expired'
    | 'refund_cancelled'
    | 'refund_failed';
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Notifications {
  /** @returns false when it was told already */
  tell(notification: Notification): Promise<boolean>;
  /** What the recipient heard last about a run. */
  lastTold(runId: string, recipient: string | null): Promise<Notification['template'] | undefined>;
}

export type DeliveryKind =
  'start' | 'decision' | 'cancel' | 'review' | 'news' | 'erasure' | 'batch' | 'agent' | 'memory';

export interface Delivery {
  readonly tenant: string;
  readonly runId: string;
  readonly kind: DeliveryKind;
  /** What is delivered: a decision id, or the kind itself. */
  readonly ref: string;
}

/** What is owed to Temporal: written with the record that promises it, removed when it has arrived. */
export interface Outbox {
  owe(delivery: Omit<Delivery, 'tenant'>): Promise<void>;
  done(delivery: Omit<Delivery, 'tenant'>): Promise<void>;
  /** Whether anything is still on its way to this run. */
  owes(runId: string): Promise<boolean>;
}

/** Everything that one step changes in one transaction, within one tenant. */
export interface Unit {
  readonly ledger: Ledger;
  readonly effects: EffectJournal;
  readonly runs: Runs;
  readonly agentRuns: AgentRuns;
  readonly history: RefundHistory;
  readonly splits: Splits;
  readonly batches: Batches;
  readonly batchItems: BatchItems;
  readonly threads: Threads;
  readonly approvals: Approvals;
  readonly inbox: Inbox;
  readonly decisions: Decisions;
  readonly people: People;
  readonly policies: Policies;
  readonly audit: Audit;
  readonly notifications: Notifications;
  readonly outbox: Outbox;
  readonly brakes: Brakes;
  readonly reviews: Reviews;
  readonly reconciliations: Reconciliations;
  readonly differences: Differences;
  readonly books: PaymentBooks;
  readonly directory: Directory;
  readonly apiKeys: ApiKeys;
  readonly channelKeys: ChannelKeys;
  readonly knowledge: Knowledge;
  readonly memoryReviews: MemoryReviews;
  readonly erasures: Erasures;
  readonly holds: LegalHolds;
  readonly retention: Retention;
  readonly personal: PersonalData;
}

export interface Store {
  /** Every tenant there is. */
  tenants(): Promise<string[]>;
  /** One transaction, bound to one tenant by row-level security; commits when `work` resolves. */
  inTenant<T>(tenant: string, work: (unit: Unit) => Promise<T>): Promise<T>;
  /** Deliveries owed for longer than `olderThanMs`, oldest first, over all tenants. */
  owed(olderThanMs: number, limit: number): Promise<Delivery[]>;
}
