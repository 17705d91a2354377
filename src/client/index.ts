import { Admin, Self } from './admin';
import { AgentRuns } from './agentRuns';
import { Approvals } from './approvals';
import { Audit } from './audit';
import { Batches } from './batches';
import { Brake } from './brake';
import { Knowledge } from './knowledge';
import { Memories } from './memories';
import { Erasures, RetentionDoors } from './erasures';
import { Policies } from './policies';
import { Payloads } from './payloads';
import { Payments } from './payments';
import { Recall } from './recall';
import { Reconciliations } from './reconciliations';
import { Refunds } from './refunds';
import { Threads } from './threads';
import { Transport, type CallOptions, type CountersignOptions } from './transport';
import type { Health, Readiness } from './types';

/**
 * The client of a service:
 *
 *     const countersign = new Countersign({ baseUrl, token });
 *     const { runId } = await countersign.refunds.start(request, { idempotencyKey });
 *     const refund = await countersign.refunds.waitUntilFinished(runId);
 *
 * Every method throws CountersignError with the `code` of the API. What gets no answer, or 429, 502, 503 or 504, is
 * sent again with the same key, a bounded number of times.
 */
export class Countersign {
  readonly refunds: Refunds;
  readonly approvals: Approvals;
  readonly batches: Batches;
  readonly brake: Brake;
  readonly audit: Audit;
  readonly memories: Memories;
  readonly policies: Policies;
  readonly payloads: Payloads;
  readonly payments: Payments;
  readonly reconciliations: Reconciliations;
  readonly knowledge: Knowledge;
  readonly recall: Recall;
  readonly admin: Admin;
  readonly erasures: Erasures;
  readonly retention: RetentionDoors;
  readonly self: Self;
  readonly threads: Threads;
  readonly runs: AgentRuns;
  private readonly transport: Transport;

  constructor(options: CountersignOptions) {
    this.transport = new Transport(options);
    this.refunds = new Refunds(this.transport);
    this.approvals = new Approvals(this.transport);
    this.batches = new Batches(this.transport);
    this.brake = new Brake(this.transport);
    this.audit = new Audit(this.transport);
    this.memories = new Memories(this.transport);
    this.policies = new Policies(this.transport);
    this.payloads = new Payloads(this.transport);
    this.payments = new Payments(this.transport);
    this.reconciliations = new Reconciliations(this.transport);
    this.knowledge = new Knowledge(this.transport);
    this.recall = new Recall(this.transport);
    this.admin = new Admin(this.transport);
    this.erasures = new Erasures(this.transport);
    this.retention = new RetentionDoors(this.transport);
    this.self = new Self(this.transport);
    this.threads = new Threads(this.transport);
    this.runs = new AgentRuns(this.transport);
  }

  /** That the API answers, and its version. Needs no token. */
  async health(options: CallOptions = {}): Promise<Health> {
    return (await this.transport.call<Health>({ path: '/healthz', ...options })).body;
  }

  /** Whether what the API needs answers too; `unavailable` is an answer, not an error. Needs no token. */
  async readiness(options: CallOptions = {}): Promise<Readiness> {
    return (await this.transport.call<Readiness>({ path: '/readyz', accept: [503], ...options })).body;
  }
}

export { CountersignError, isErrorCode, type ErrorCode } from '../domain/errors';
export { isFinal, phases, type FinalPhase } from '../domain/contract';
export type * from './adminTypes';
export type { AgentRuns, AgentRunFilter } from './agentRuns';
export type * from './agentRunTypes';
export type { Approvals, ApprovalFilter } from './approvals';
export type { Audit, AuditSearch } from './audit';
export type { Batches, BatchFile, BatchOptions, ItemFilter } from './batches';
export type * from './batchTypes';
export type { Knowledge, KnowledgePage } from './knowledge';
export type * from './knowledgeTypes';
export type { Recall, RecallAnswer, RecalledMemory, RecallQuestion, RecallReasons } from './recall';
export type { WatchOptions } from './events';
export type { Memories, MemoryFilter, NamedMemory, ProposeOptions } from './memories';
export type { CandidateFilter, MemoryReviews } from './memoryReviews';
export type * from './memoryTypes';
export type { Policies, PolicyPage } from './policies';
export type * from './policyTypes';
export type * from './pastTypes';
export type { HistoryPayload, Payloads } from './payloads';
export type { Payments } from './payments';
export type { DifferenceFilter, PageOptions, Reconciliations } from './reconciliations';
export type { RefundFilter, Refunds, StartOptions } from './refunds';
export type { RetryOptions } from './retry';
export type { MessageFilter, ThreadOptions, Threads } from './threads';
export type * from './threadTypes';
export type { CallOptions, CountersignOptions } from './transport';
export type { Erasures, RetentionDoors } from './erasures';
export type * from './erasureTypes';
export type * from './bookTypes';
export type * from './types';
