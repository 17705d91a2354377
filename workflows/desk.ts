import {
  condition,
  defineQuery,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { checkAddressed } from '../src/domain/approval/addressed';
import type { HeldApproval } from '../src/domain/approval/held';
import {
  readDecisionMessage,
  type DecisionAnswer,
  type DecisionMessage,
} from '../src/domain/approval/message';
import type { ApprovalState } from '../src/domain/approval/state';
import { queryNames, type Phase } from '../src/domain/contract';
import { CountersignError } from '../src/domain/errors';
import {
  isOfMoney,
  memoryAction,
  refundAction,
  type ProposalInput,
  type RefundResult,
  type WorkflowState,
} from '../src/domain/refund/state';
import { Cancels } from './cancels';
import {
  approvalSignal,
  cancel,
  cancelSignal,
  decide,
  isActor,
  isOrder,
  providerSignal,
  refuseWithFailure,
  review,
  reviewSignal,
  signed,
} from './messages';
import { approvalView, details, heldApproval, stateView } from './view';

const phaseAttribute = defineSearchAttributeKey('CountersignPhase', SearchAttributeType.KEYWORD);
const groupAttribute = defineSearchAttributeKey('CountersignApproverGroup', SearchAttributeType.KEYWORD);

/** A person's order about a review, with whoever awaits its answer. */
export interface PendingOrder {
  readonly orderId: string;
  readonly answer: (answer: DecisionAnswer) => void;
}

/** A decision that waits for the loop, with whoever awaits its answer. */
export interface PendingDecision {
  readonly message: DecisionMessage;
  readonly answer: (answer: DecisionAnswer) => void;
}

/**
 * The run's state and its messages. Handlers only enqueue or set a flag; the story in refund.ts is the one loop that
 * acts on them. Once `closed`, nothing more is taken: money may be moving.
 */
export class Desk {
  state: WorkflowState;
  approval: ApprovalState | undefined;
  /** The execution that applied the last decision; after a reset it is not this one. */
  votedIn: string | undefined;
  readonly cancels = new Cancels();
  /** The last rung of the reminder ladder that was climbed, hours after opening. */
  remindedHours: number;
  /** Which refund of this run it is; another one only after the last has provably failed. */
  round: number;
  /** How often a person was asked to look. */
  reviews: number;
  /** The execution in which this run began, or went on; after a reset it is not this one. */
  home = workflowInfo().firstExecutionRunId;
  /** An approval may stand in the inbox already of which this run has not heard yet. */
  opening = false;
  private closed = false;
  /** The call to the provider may not be on record yet, so a cancel is looked at although the desk is closed. */
  private sending = false;
  private readonly pending: PendingDecision[] = [];
  private readonly orders: PendingOrder[] = [];
  /** An order that comes twice, by update and by signal, is one order. */
  private readonly ordered = new Map<string, Promise<DecisionAnswer>>();
  private providerChanged = false;
  /** Changes with a reset, which makes earlier votes void. */
  readonly epoch = workflowInfo().runId;

  constructor(readonly input: ProposalInput) {
    this.round = input.reopened?.round ?? 1;
    this.remindedHours = input.continued?.remindedHours ?? 0;
    this.reviews = input.continued?.reviews ?? 0;
    this.state = {
      runId: input.runId,
      tenant: input.tenant,
      phase: 'validating',
      action: isOfMoney(input.arguments) ? refundAction : memoryAction,
      target: input.paymentId,
      arguments: input.arguments,
      proposed: input.arguments,
      waitingFor: 'the payment to be validated',
    };
    setHandler(defineQuery<unknown>(queryNames.state), () => stateView(this.state));
    setHandler(defineQuery<unknown>(queryNames.approvalRequest), () => approvalView(this.approval));
    setHandler(defineQuery<HeldApproval>(queryNames.approvalState), () => heldApproval(this));
    setHandler(decide, (message) => this.enqueue(message), {
      validator: (message) => this.validate(message),
    });
    setHandler(approvalSignal, (payload) => void this.enqueue(signed(payload)));
    setHandler(cancel, (request) => this.cancels.ask(request.actor), {
      validator: (request) => this.validateCancel(request),
    });
    setHandler(review, (order) => this.order(order), { validator: (order) => this.validateOrder(order) });
    setHandler(reviewSignal, (order) => void this.order(order));
    setHandler(providerSignal, () => {
      this.providerChanged = true;
    });
    setHandler(cancelSignal, (request) => this.cancelBySignal(request));
  }

  /** Waits for a decision, a cancel, or the given time to pass (ms); waiting holds nothing but this timer. */
  async wait(ms: number): Promise<'message' | 'time_passed'> {
    const woken = await condition(() => this.hasPending || this.cancels.first !== undefined, Math.max(ms, 1));
    return woken || this.hasPending ? 'message' : 'time_passed';
  }

  /** Waits at most `ms` for a person's order about the review; a cancel ends the wait too, while it is possible. */
  async awaitOrder(ms: number): Promise<PendingOrder | undefined> {
    await condition(() => this.orders.length > 0 || this.cancels.first !== undefined, ms);
    return this.orders.shift();
  }

  /** Waits for news from the provider at most `ms`. */
  async awaitProvider(ms: number): Promise<void> {
    await condition(() => this.providerChanged, ms);
    this.providerChanged = false;
  }

  get hasPending(): boolean {
    return this.pending.length > 0;
  }

  /** Somebody waits for this run to look at what he said. */
  get isAsked(): boolean {
    return this.hasPending || this.orders.length > 0 || this.cancels.first !== undefined;
  }

  next(): PendingDecision | undefined {
    return this.pending.shift();
  }

  /** No cancel and no decision from here on; each gets an explicit answer. */
  close(): void {
    this.closed = true;
  }

  /** The call to the provider is on record: no cancel counts any more, also not one that came before. */
  ignoreCancel(): void {
    this.closed = true;
    this.sending = false;
    this.cancels.answer({ accepted: false, code: 'run_not_cancellable' });
  }

  /** Until `over`, whoever cancels is heard. @returns who does, or undefined when it is over */
  async cancelWhileSending(over: () => boolean): Promise<string | undefined> {
    this.sending = true;
    await condition(() => over() || this.cancels.first !== undefined);
    this.sending = false;
    return over() ? undefined : this.cancels.first;
  }

  reopen(): void {
    this.closed = false;
  }

  /** The run has ended: whoever asked for a cancel is answered. */
  conclude(result: RefundResult): void {
    this.state = { ...this.state, result };
    const answer: DecisionAnswer =
      result.outcome === 'cancelled'
        ? { accepted: true }
        : { accepted: false, code: 'run_not_cancellable', detail: `the refund is ${result.outcome}` };
    this.cancels.answer(answer);
    this.refuseOrders();
  }

  /** Nothing waits for a person's look any more. */
  refuseOrders(): void {
    for (const { answer: refuse } of this.orders.splice(0))
      refuse({ accepted: false, code: 'review_not_open' });
  }

  enter(phase: Phase, waitingFor?: string): void {
    const { waitingFor: _before, ...state } = this.state;
    this.state = { ...state, phase, ...(waitingFor === undefined ? {} : { waitingFor }) };
    const group = this.approval?.policy.oneFrom ?? this.approval?.policy.approverGroup;
    upsertSearchAttributes([
      { key: phaseAttribute, value: phase },
      ...(phase === 'waiting_approval' && group !== undefined ? [{ key: groupAttribute, value: group }] : []),
    ]);
    this.describe();
  }

  /** What the Web UI shows beside the run. */
  describe(): void {
    setCurrentDetails(details(this));
  }

  private enqueue(message: unknown): Promise<DecisionAnswer> {
    // What can't be read is refused by the same activity that refuses a wrong signature, so that it is on record.
    const decision = readDecisionMessage(message) ?? { kind: 'signed', jws: 'unreadable' };
    return new Promise((resolve) => this.pending.push({ message: decision, answer: resolve }));
  }

  /** Synchronous: the SDK does not await a validator, so anything async here could not refuse. */
  private validate(message: unknown): void {
    refuseWithFailure(() => {
      const decision = readDecisionMessage(message);
      if (!decision) throw new CountersignError('invalid_request', 'that is not a decision');
      if (!this.approval) {
        // It has not heard yet what it has opened, or the execution before it had; the loop will look (R26).
        if (this.input.continued || this.opening) return;
        throw new CountersignError('approval_not_open');
      }
      if (decision.kind === 'recorded') checkAddressed(this.approval, decision, undefined);
    });
  }

  private order(order: unknown): Promise<DecisionAnswer> {
    if (!isOrder(order)) return Promise.resolve({ accepted: false, code: 'invalid_request' });
    const { orderId } = order;
    const known = this.ordered.get(orderId);
    if (known) return known;
    const answer = new Promise<DecisionAnswer>((resolve) => this.orders.push({ orderId, answer: resolve }));
    this.ordered.set(orderId, answer);
    return answer;
  }

  private validateOrder(order: unknown): void {
    refuseWithFailure(() => {
      if (!isOrder(order)) throw new CountersignError('invalid_request', 'an order names its id');
      if (this.state.phase !== 'needs_review') throw new CountersignError('review_not_open');
    });
  }

  private validateCancel(request: unknown): void {
    refuseWithFailure(() => {
      if (!isActor(request)) throw new CountersignError('invalid_request', 'a cancel names its actor');
      if (this.closed && !this.sending && this.cancels.first === undefined)
        throw new CountersignError('run_not_cancellable');
    });
  }

  private cancelBySignal(request: unknown): void {
    if ((!this.closed || this.sending) && isActor(request)) this.cancels.signal(request.actor);
  }
}
