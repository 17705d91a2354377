import type { AgentRunInput } from '../domain/agent/state';
import type { IngestInput, RefundBatchInput } from '../domain/batch/batch';
import type { DecisionAnswer, DecisionMessage } from '../domain/approval/message';
import type { ErasureInput } from '../domain/erasure/erasure';
import type { SweepInput } from '../domain/retention/retention';
import type { ReconcileInput } from '../domain/reconciliation/difference';
import type { ProposalInput, RefundInput } from '../domain/refund/state';

export type EngineReply =
  | { readonly kind: 'answered'; readonly answer: DecisionAnswer }
  /** Nobody answered in time: no worker is up, or Temporal is down. */
  | { readonly kind: 'no_answer' }
  /** The run has ended. */
  | { readonly kind: 'gone' };

/** A batch as its workflow begins with it. `cancelledBy`: whoever has cancelled it since. */
export interface BatchStart {
  readonly input: RefundBatchInput | IngestInput;
  readonly cancelledBy?: string;
}

/** Temporal, as the use cases see it. */
export interface Engine {
  /** Starting the same run twice is one run. `customer` becomes a keyed hash that can be searched for. */
  start(input: RefundInput, customer: string | null): Promise<void>;
  /** Update `decide`; waits for the answer at most `timeoutMs`. */
  decide(tenant: string, runId: string, message: DecisionMessage, timeoutMs: number): Promise<EngineReply>;
  /** Signal `approval`: kept by Temporal until a worker has it. */
  signalDecision(tenant: string, runId: string, jws: string): Promise<'delivered' | 'gone'>;
  /** Carries on a finished run whose money came back; one workflow for each refund that failed. */
  reopen(input: RefundInput, customer: string | null): Promise<string>;
  /** Update `review` on the workflow that carries the run now. */
  review(workflowId: string, orderId: string, timeoutMs: number): Promise<EngineReply>;
  signalReview(workflowId: string, orderId: string): Promise<'delivered' | 'gone'>;
  /** The provider has news of this run's refund; the run reads it there. */
  signalProviderChanged(workflowId: string): Promise<'delivered' | 'gone'>;
  /** Starts the reconciliation of this row; the same one twice is one. */
  reconcile(input: ReconcileInput & { readonly reconciliationId: string }): Promise<void>;
  /** Starts the erasure of this row; the same one twice is one. @throws CountersignError dependency_unavailable */
  erasePerson(input: ErasureInput): Promise<void>;
  /** Starts a sweep; the same one twice is one. @throws CountersignError dependency_unavailable */
  sweep(input: SweepInput & { readonly sweepId: string }): Promise<void>;
  /** Starts the workflow of a batch, or wakes it: the database says what has changed. @throws CountersignError dependency_unavailable */
  carryBatch(input: BatchStart): Promise<void>;
  /** Starts the workflow of a rule of procedure; the same one twice is one. @throws CountersignError dependency_unavailable */
  proposeMemory(input: ProposalInput): Promise<void>;
  /**
   * Starts an agent run, or tells one that goes on that its row has changed or that its refund has ended; harmless to repeat.
   * @throws CountersignError dependency_unavailable
   */
  wakeAgentRun(input: AgentRunInput): Promise<'delivered' | 'gone'>;
  cancel(tenant: string, runId: string, actor: string, timeoutMs: number): Promise<EngineReply>;
  signalCancel(tenant: string, runId: string, actor: string): Promise<'delivered' | 'gone'>;
}
