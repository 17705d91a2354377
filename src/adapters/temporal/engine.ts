import { createHmac } from 'node:crypto';
import {
  Client,
  Connection,
  WorkflowExecutionAlreadyStartedError,
  WorkflowUpdateFailedError,
  type WorkflowHandle,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { ApplicationFailure, WorkflowNotFoundError } from '@temporalio/common';
import type { AgentRunInput } from '../../domain/agent/state';
import type { DecisionAnswer, DecisionMessage } from '../../domain/approval/message';
import {
  erasureWorkflowId,
  reconcileWorkflowId,
  refundWorkflowId,
  reopenedWorkflowId,
  signalNames,
  sweepWorkflowId,
  updateNames,
  workflowTypes,
} from '../../domain/contract';
import { CountersignError, isErrorCode } from '../../domain/errors';
import type { ErasureInput } from '../../domain/erasure/erasure';
import type { SweepInput } from '../../domain/retention/retention';
import type { ReconcileInput } from '../../domain/reconciliation/difference';
import type { ProposalInput, RefundInput } from '../../domain/refund/state';
import type { BatchStart, Engine, EngineReply } from '../../ports/engine';
import type { DataConverter } from '@temporalio/common';
import { carryBatch } from './batches';
import { connectionOptions, dataConverterFor, type TemporalSettings } from './connection';
import { agentRunStart } from './agentRuns';
import { memoryProposalStart } from './memoryProposals';
import { reconcileStart } from './reconciliations';
import { refundStart } from './refunds';
import { erasureStart, sweepStart } from './retention';

const startDeadlineMs = 5_000;

export class TemporalEngine implements Engine {
  readonly client: Client;

  /**
   * @param customerKey keys the hash under which a customer can be searched for in Temporal; without it no refund of a known
   * customer is started here, and an API does that
   */
  constructor(
    private readonly connection: Connection,
    namespace: string,
    private readonly customerKey: string | undefined,
    dataConverter: DataConverter = dataConverterFor({}),
  ) {
    this.client = new Client({ connection, namespace, dataConverter });
  }

  /** Connects when first used, so that the API comes up while Temporal is down. */
  static lazily(settings: TemporalSettings, customerKey: string | undefined): TemporalEngine {
    const connection = Connection.lazy(connectionOptions(settings));
    return new TemporalEngine(connection, settings.namespace, customerKey, dataConverterFor(settings));
  }

  async start(input: RefundInput, customer: string | null): Promise<void> {
    await this.startOnce(
      refundWorkflowId(input.tenant, input.runId),
      input,
      customer,
      'Temporal does not answer; the refund is recorded and starts when it does',
    );
  }

  async reopen(input: RefundInput, customer: string | null): Promise<string> {
    const { tenant, runId, reopened } = input;
    if (!reopened) throw new RangeError('a run is reopened because of a refund that failed');
    const workflowId = reopenedWorkflowId(tenant, runId, reopened.refundId);
    await this.startOnce(workflowId, input, customer, 'Temporal does not answer');
    return workflowId;
  }

  private async startOnce(
    workflowId: string,
    input: RefundInput,
    customer: string | null,
    outage: string,
  ): Promise<void> {
    if (customer !== null && this.customerKey === undefined)
      throw new CountersignError('dependency_unavailable', 'without COUNTERSIGN_HASH_KEY the API starts it');
    const hash = customer === null ? null : this.customerHash(input.tenant, customer);
    await this.once(outage, () =>
      this.client.workflow.start(workflowTypes.refund, { workflowId, ...refundStart(input, hash) }),
    );
  }

  async reconcile(input: ReconcileInput & { readonly reconciliationId: string }): Promise<void> {
    const workflowId = reconcileWorkflowId(input.tenant, input.reconciliationId);
    await this.startUpkeep(workflowTypes.reconcile, workflowId, reconcileStart(input));
  }

  async erasePerson(input: ErasureInput): Promise<void> {
    const workflowId = erasureWorkflowId(input.tenant, input.erasureId);
    await this.startUpkeep(workflowTypes.erasePerson, workflowId, erasureStart(input));
  }

  async sweep(input: SweepInput & { readonly sweepId: string }): Promise<void> {
    const workflowId = sweepWorkflowId(input.tenant, input.sweepId);
    await this.startUpkeep(workflowTypes.memoryRetention, workflowId, sweepStart(input));
  }

  async wakeAgentRun(input: AgentRunInput): Promise<'delivered' | 'gone'> {
    try {
      await this.within(startDeadlineMs, () =>
        this.client.workflow.signalWithStart(workflowTypes.agentRun, agentRunStart(input)),
      );
      return 'delivered';
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return 'gone';
      throw new CountersignError('dependency_unavailable', 'Temporal does not answer');
    }
  }

  private async startUpkeep(
    type: string,
    workflowId: string,
    start: Omit<WorkflowStartOptions, 'workflowId'>,
  ): Promise<void> {
    await this.once('Temporal does not answer; nothing was started', () =>
      this.client.workflow.start(type, {
        ...start,
        workflowId,
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
      }),
    );
  }

  async proposeMemory(input: ProposalInput): Promise<void> {
    await this.once('Temporal does not answer; the proposal waits for people when it does', () =>
      this.client.workflow.start(workflowTypes.memoryProposal, memoryProposalStart(input)),
    );
  }

  async carryBatch(start: BatchStart): Promise<void> {
    await this.once('Temporal does not answer; the batch goes on when it does', () =>
      carryBatch(this.client, start),
    );
  }

  /** What was started before is started. @throws CountersignError dependency_unavailable */
  private async once(outage: string, call: () => Promise<unknown>): Promise<void> {
    try {
      await this.within(startDeadlineMs, call);
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return;
      throw new CountersignError('dependency_unavailable', outage);
    }
  }

  async decide(
    tenant: string,
    runId: string,
    message: DecisionMessage,
    timeoutMs: number,
  ): Promise<EngineReply> {
    return this.update(refundWorkflowId(tenant, runId), updateNames.decide, message, timeoutMs);
  }

  async cancel(tenant: string, runId: string, actor: string, timeoutMs: number): Promise<EngineReply> {
    return this.update(refundWorkflowId(tenant, runId), updateNames.cancel, { actor }, timeoutMs);
  }

  async signalDecision(tenant: string, runId: string, jws: string): Promise<'delivered' | 'gone'> {
    return this.signal(refundWorkflowId(tenant, runId), signalNames.approval, { jws });
  }

  async signalCancel(tenant: string, runId: string, actor: string): Promise<'delivered' | 'gone'> {
    return this.signal(refundWorkflowId(tenant, runId), signalNames.cancelRequested, { actor });
  }

  async review(workflowId: string, orderId: string, timeoutMs: number): Promise<EngineReply> {
    return this.update(workflowId, updateNames.review, { orderId }, timeoutMs);
  }

  async signalReview(workflowId: string, orderId: string): Promise<'delivered' | 'gone'> {
    return this.signal(workflowId, signalNames.reviewOrdered, { orderId });
  }

  async signalProviderChanged(workflowId: string): Promise<'delivered' | 'gone'> {
    return this.signal(workflowId, signalNames.providerChanged);
  }

  /** Resolves when Temporal answers. */
  async ping(): Promise<void> {
    await this.within(2_000, () => this.connection.workflowService.getSystemInfo({}));
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  /** The same customer in two tenants has two hashes. */
  customerHash(tenant: string, customer: string): string {
    return createHmac('sha256', this.customerKey ?? '')
      .update(`${tenant}\n${customer}`)
      .digest('hex')
      .slice(0, 32);
  }

  private async update(
    workflowId: string,
    name: string,
    argument: unknown,
    timeoutMs: number,
  ): Promise<EngineReply> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      try {
        const answer = await this.within(deadline - Date.now(), () =>
          this.handle(workflowId).executeUpdate<DecisionAnswer, [unknown]>(name, { args: [argument] }),
        );
        return { kind: 'answered', answer };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return { kind: 'gone' };
        if (!(error instanceof WorkflowUpdateFailedError)) return { kind: 'no_answer' };
        const answer = refusedByValidator(error);
        if (answer) return { kind: 'answered', answer };
        // Temporal itself refused it: no workflow task saw it (many at once), or the run ended meanwhile. The same again.
        if (Date.now() >= deadline) return { kind: 'no_answer' };
      }
    }
  }

  private async signal(
    workflowId: string,
    name: string,
    ...payload: unknown[]
  ): Promise<'delivered' | 'gone'> {
    try {
      await this.within(startDeadlineMs, () => this.handle(workflowId).signal(name, ...payload));
      return 'delivered';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'gone';
      throw new CountersignError('dependency_unavailable', 'Temporal does not answer');
    }
  }

  private handle(workflowId: string): WorkflowHandle {
    return this.client.workflow.getHandle(workflowId);
  }

  private async within<T>(ms: number, call: () => Promise<T>): Promise<T> {
    return this.connection.withDeadline(Date.now() + ms, call);
  }
}

/** @returns undefined when it was not our validator that refused */
function refusedByValidator({ cause }: WorkflowUpdateFailedError): DecisionAnswer | undefined {
  if (!(cause instanceof ApplicationFailure) || !isErrorCode(cause.type)) return undefined;
  const details = cause.details?.[0] as Readonly<Record<string, unknown>> | undefined;
  return { accepted: false, code: cause.type, detail: cause.message, ...(details ? { details } : {}) };
}
