import type { FinalPhase, Phase } from '../contract';
import type { ErrorCode } from '../errors';
import type { Money } from '../money/money';
import type { RefundReason } from './request';

/** The action that a person decides about; an edit can change arguments, never the action or the target. */
export const refundAction = 'issue_refund';

/** What people decide about where they approve the manifest of a batch as a whole. */
export const batchAction = 'issue_refund_batch';

/** What an administrator decides about where somebody proposes a rule of procedure. */
export const memoryAction = 'adopt_memory';
export type ApprovedAction = typeof refundAction | typeof batchAction | typeof memoryAction;

/** What an edit may change. Amount in minor units. */
export interface RefundArguments {
  readonly amount: Money;
  readonly reason: RefundReason;
}

/** Of a rule of procedure. What it says and of whom stands with its candidate, in the database alone. */
export interface MemoryArguments {
  readonly kind: 'procedural';
}

export type ApprovedArguments = RefundArguments | MemoryArguments;

export function isOfMoney(args: ApprovedArguments): args is RefundArguments {
  return 'amount' in args;
}

/** @throws RangeError for what moves no money, which nobody should have asked */
export function ofMoney(args: ApprovedArguments): RefundArguments {
  if (!isOfMoney(args)) throw new RangeError('a rule of procedure has no amount');
  return args;
}

/** Input of workflow `refund`; anything else that it is started with is no refund. */
export function isRefundInput(input: unknown): input is RefundInput {
  return (
    typeof input === 'object' &&
    input !== null &&
    'tenant' in input &&
    'runId' in input &&
    'arguments' in input
  );
}

/** Input of workflow `refund`. Ids and figures only: free text and personal data stay in PostgreSQL. */
export interface RefundInput {
  readonly tenant: string;
  readonly runId: string;
  readonly paymentId: string;
  readonly arguments: RefundArguments;
  readonly requester: string;
  readonly onBehalfOf?: string;
  /** The batch that it is a row of, which hears of it when it has waited for people and ends. */
  readonly batchId?: string;
  /** Carries on a finished run whose refund failed later. `round` counts from 2. */
  readonly reopened?: { readonly refundId: string; readonly round: number };
  /** This execution goes on where an earlier one had become long; what people decided is in PostgreSQL. */
  readonly continued?: Continued;
}

/** Input of any workflow in which people decide about something. */
export type ProposalInput = Omit<RefundInput, 'arguments'> & { readonly arguments: ApprovedArguments };

/** What the next execution can't read from our own records. */
export interface Continued {
  /** The last rung of the reminder ladder that was climbed, hours after opening. */
  readonly remindedHours: number;
  /** How often a person was asked to look. */
  readonly reviews: number;
}

export interface RefundResult {
  readonly outcome: FinalPhase;
  /** The provider's refund id, where money moved. */
  readonly refundId?: string;
  readonly amount?: Money;
  /** Why nothing moved, or why it failed. */
  readonly code?: ErrorCode | 'rejected' | 'expired' | 'cancelled';
  readonly detail?: string;
}

/** What query `state` answers, and what the run needs now. The Temporal history is its only checkpoint. */
export interface WorkflowState {
  readonly runId: string;
  readonly tenant: string;
  readonly phase: Phase;
  readonly action: ApprovedAction;
  readonly target: string;
  /** In force now: as proposed, or as the last revision says. */
  readonly arguments: ApprovedArguments;
  readonly proposed: ApprovedArguments;
  readonly approved?: RefundArguments;
  readonly executed?: RefundArguments;
  readonly result?: RefundResult;
  /** In plain words, for an operator; no personal data. */
  readonly waitingFor?: string;
}
