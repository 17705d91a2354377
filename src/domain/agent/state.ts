import type { ErrorCode } from '../errors';
import type { RefundReason } from '../refund/request';

/** What a step can do. A new one is a row here, a shape in plan.ts, and a function in src/application/agent/steps.ts. */
export const agentStepTypes = [
  'look_up_order',
  'gather_evidence',
  'recall_memory',
  'search_knowledge',
  'draft_refund',
  'propose_refund',
  'await_refund',
  'notify',
] as const;
export type AgentStepType = (typeof agentStepTypes)[number];

/** `id` is unique within the run; `<runId>:<id>` keys whatever the step changes (R1). */
export type AgentStep =
  | { readonly id: string; readonly type: 'recall_memory' | 'search_knowledge'; readonly limit: number }
  | { readonly id: string; readonly type: Exclude<AgentStepType, 'recall_memory' | 'search_knowledge'> };

export const agentRunStatuses = [
  'pending',
  'running',
  'paused',
  'completed',
  'failed',
  'needs_review',
] as const;
export type AgentRunStatus = (typeof agentRunStatuses)[number];

export const agentStepStatuses = ['pending', 'running', 'waiting', 'completed', 'failed'] as const;
/** `waiting`: for something outside, such as people who decide; nothing is running meanwhile. */
export type AgentStepStatus = (typeof agentStepStatuses)[number];

interface DecimalAmount {
  /** Major units, as a decimal string. */
  readonly value: string;
  readonly currency: string;
}

/** Ids and figures alone: this stands in the history, and free text stays in PostgreSQL (R39, R49). */
export type AgentStepOutput =
  | { readonly paymentId: string; readonly captured: DecimalAmount; readonly remaining: DecimalAmount }
  /** `thread:<id>#<seq>` */
  | { readonly turns: readonly string[] }
  | { readonly memories: readonly string[] }
  /** `knowledge:<document>#<version>.<passage>` */
  | { readonly passages: readonly string[] }
  | {
      readonly amount: DecimalAmount;
      readonly reason: RefundReason;
      readonly cites: readonly string[];
      /** `rules`, or the model's name. */
      readonly by: string;
    }
  | { readonly refundRunId: string; readonly phase: string }
  | { readonly refundRunId: string; readonly outcome: string; readonly amount: DecimalAmount | null }
  /** The message that told the customer, `thread:<id>#<seq>`. */
  | { readonly told: string };

export interface AgentError {
  readonly code: ErrorCode;
  /** `plan` while there is none yet. */
  readonly stepId: string;
  readonly detail: string;
}

/** What query `state` answers and what the row of the run holds. */
export interface AgentState {
  readonly runId: string;
  readonly tenantId: string;
  /** The thread that the goal stands in. */
  readonly conversationId: string;
  /** Where the goal stands; its words are in PostgreSQL, and go with their owner. */
  readonly goal: string;
  readonly plan: readonly AgentStep[];
  /** `rules`, or the name of the model that made the plan; null while there is none. */
  readonly plannedBy: string | null;
  readonly nextStepIndex: number;
  readonly stepStatuses: Readonly<Record<string, AgentStepStatus>>;
  readonly stepOutputs: Readonly<Record<string, AgentStepOutput>>;
  /** How often a step was tried again since the run was last resumed. */
  readonly retryCounts: Readonly<Record<string, number>>;
  readonly status: AgentRunStatus;
  readonly lastError: AgentError | null;
  /** Steps after which the run pauses until it is resumed; null for none. */
  readonly maxStepsPerRun: number | null;
  /** Steps taken since the run was started or resumed. */
  readonly stepsTaken: number;
  readonly pausedBy: 'step_budget' | 'asked' | null;
  /** Somebody asked for a pause while a step was running: it comes after that step. */
  readonly pauseRequested: boolean;
}

/** Input of workflow `agentRun`. */
export interface AgentRunInput {
  readonly tenant: string;
  readonly runId: string;
}

export interface AgentRunResult {
  readonly runId: string;
  readonly status: AgentRunStatus;
}

export function isAgentRunInput(input: unknown): input is AgentRunInput {
  return typeof input === 'object' && input !== null && 'tenant' in input && 'runId' in input;
}

export function newAgentState(
  run: Pick<AgentState, 'runId' | 'tenantId' | 'conversationId' | 'maxStepsPerRun'>,
): AgentState {
  const { runId, tenantId, conversationId, maxStepsPerRun } = run;
  return {
    runId,
    tenantId,
    conversationId,
    goal: `${runId}#goal`,
    plan: [],
    plannedBy: null,
    nextStepIndex: 0,
    stepStatuses: {},
    stepOutputs: {},
    retryCounts: {},
    status: 'pending',
    lastError: null,
    maxStepsPerRun,
    stepsTaken: 0,
    pausedBy: null,
    pauseRequested: false,
  };
}

export function isAgentRunEnded({ status }: Pick<AgentState, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}

/** The output of the first step of a type, as far as it is there. */
export function outputOf<Key extends string>(
  state: AgentState,
  type: AgentStepType,
  key: Key,
): Extract<AgentStepOutput, Readonly<Record<Key, unknown>>> | undefined {
  const step = state.plan.find((candidate) => candidate.type === type);
  const output = step && state.stepOutputs[step.id];
  return output && key in output
    ? (output as Extract<AgentStepOutput, Readonly<Record<Key, unknown>>>)
    : undefined;
}
