import { CountersignError, errorCatalogue, type ErrorCode } from '../errors';
import { isAgentRunEnded, type AgentState, type AgentStep, type AgentStepOutput } from './state';

/** Tries of one step that fails in a way that another attempt may cure, before a person is asked. */
export const mostRetries = 5;
/** Waits that another side asked for, before a person is asked. */
export const mostWaits = 20;

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
const waitMs = 30_000;
const longestWaitMs = 3_600_000;

/** What the run does next. `idle`: nothing until somebody says something, or what is waited for happens. */
export type AgentMove =
  | { readonly kind: 'plan' }
  | { readonly kind: 'take'; readonly stepId: string }
  | { readonly kind: 'idle' }
  | { readonly kind: 'ended' };

export function nextMove(state: AgentState): AgentMove {
  if (isAgentRunEnded(state)) return { kind: 'ended' };
  if (state.status !== 'running') return { kind: 'idle' };
  const step = state.plan[state.nextStepIndex];
  if (!step) return { kind: 'plan' };
  return state.stepStatuses[step.id] === 'waiting' ? { kind: 'idle' } : { kind: 'take', stepId: step.id };
}

/** The workflow has taken the run up. What the next step waits for may have happened meanwhile: it is taken again. */
export function begun(state: AgentState): AgentState {
  if (state.status === 'pending') return { ...state, status: 'running' };
  const next = state.plan[state.nextStepIndex];
  if (state.status !== 'running' || !next || state.stepStatuses[next.id] !== 'waiting') return state;
  return { ...state, stepStatuses: { ...state.stepStatuses, [next.id]: 'pending' } };
}

export function planned(state: AgentState, plan: readonly AgentStep[], plannedBy: string): AgentState {
  if (state.plan.length > 0 || isAgentRunEnded(state)) return state;
  const stepStatuses = Object.fromEntries(plan.map(({ id }) => [id, 'pending' as const]));
  const lastError = state.lastError?.stepId === 'plan' ? null : state.lastError;
  return pausedWhereDue({ ...state, plan, plannedBy, stepStatuses, lastError });
}

/** @returns undefined where this step is not to be taken now: it is done, or the run is paused */
export function stepBegun(state: AgentState, stepId: string): AgentState | undefined {
  if (state.status !== 'running' || state.plan[state.nextStepIndex]?.id !== stepId) return undefined;
  return { ...state, stepStatuses: { ...state.stepStatuses, [stepId]: 'running' } };
}

/** The step is done, and the run stands before the next one; or has come to its end, or to a pause. */
export function stepTaken(state: AgentState, stepId: string, output: AgentStepOutput): AgentState {
  if (state.plan[state.nextStepIndex]?.id !== stepId) return state;
  const done: AgentState = {
    ...state,
    stepStatuses: { ...state.stepStatuses, [stepId]: 'completed' },
    stepOutputs: { ...state.stepOutputs, [stepId]: output },
  };
  // What it did stays on record, also where the run was ended meanwhile.
  if (isAgentRunEnded(state)) return done;
  const nextStepIndex = state.nextStepIndex + 1;
  const next: AgentState = { ...done, nextStepIndex, stepsTaken: state.stepsTaken + 1, lastError: null };
  if (nextStepIndex === state.plan.length) return { ...next, status: 'completed', pauseRequested: false };
  return pausedWhereDue(next);
}

/** What the step waits for has not happened yet. */
export function stepWaits(state: AgentState, stepId: string): AgentState {
  if (isAgentRunEnded(state)) return state;
  return pausedWhereDue({ ...state, stepStatuses: { ...state.stepStatuses, [stepId]: 'waiting' } });
}

export interface AgentFailure {
  readonly code: ErrorCode;
  readonly detail: string;
  /** What the other side asked to wait for, ms. */
  readonly retryAfterMs?: number;
}

/**
 * What a failure leads to, by the error's row in the catalogue: another attempt (`retry`, `look_up`: every step has a
 * key), a wait, a person, or the end.
 * @returns `pauseMs` where it is tried again
 */
export function stepFailed(
  state: AgentState,
  stepId: string,
  { code, detail, retryAfterMs }: AgentFailure,
): { readonly state: AgentState; readonly pauseMs: number | null } {
  if (isAgentRunEnded(state)) return { state, pauseMs: null };
  const retries = (state.retryCounts[stepId] ?? 0) + 1;
  const lastError = { code, stepId, detail };
  const known = state.plan.some(({ id }) => id === stepId);
  const as = (status: 'pending' | 'failed', more: Partial<AgentState>): AgentState => ({
    ...state,
    ...more,
    lastError,
    stepStatuses: known ? { ...state.stepStatuses, [stepId]: status } : state.stepStatuses,
  });
  const { retry } = errorCatalogue[code];
  if (retry === 'fail') return { state: as('failed', { status: 'failed' }), pauseMs: null };
  const most = retry === 'wait' ? mostWaits : mostRetries;
  if (retry === 'ask_person' || retries > most)
    return { state: as('failed', { status: 'needs_review' }), pauseMs: null };
  const again = as('pending', { retryCounts: { ...state.retryCounts, [stepId]: retries } });
  const pauseMs =
    retry === 'wait'
      ? Math.min(retryAfterMs ?? waitMs, longestWaitMs)
      : Math.min(firstPauseMs * 2 ** (retries - 1), longestPauseMs);
  return { state: pausedWhereDue(again), pauseMs };
}

/** @throws CountersignError agent_run_ended */
export function pauseAsked(state: AgentState): AgentState {
  refuseEnded(state);
  if (state.status === 'paused' || state.status === 'needs_review') return state;
  return pausedWhereDue({ ...state, pauseRequested: true });
}

/**
 * Goes on at the next step, with a new budget of steps and of retries.
 * @throws CountersignError agent_run_ended, agent_run_not_paused
 */
export function resumed(state: AgentState): AgentState {
  refuseEnded(state);
  if (state.pauseRequested) return { ...state, pauseRequested: false };
  if (state.status !== 'paused' && state.status !== 'needs_review')
    throw new CountersignError('agent_run_not_paused');
  const next = state.plan[state.nextStepIndex];
  return {
    ...state,
    status: 'running',
    pausedBy: null,
    stepsTaken: 0,
    retryCounts: {},
    stepStatuses: next ? { ...state.stepStatuses, [next.id]: 'pending' } : state.stepStatuses,
  };
}

/** The words that it works on are gone with the person whose they were: it ends where it stands. */
export function wordsErased(state: AgentState): AgentState {
  if (isAgentRunEnded(state)) return state;
  const step = state.plan[state.nextStepIndex];
  const stepId = step?.id ?? 'plan';
  return {
    ...state,
    status: 'failed',
    pausedBy: null,
    pauseRequested: false,
    stepStatuses: step ? { ...state.stepStatuses, [stepId]: 'failed' } : state.stepStatuses,
    lastError: { code: 'agent_run_erased', stepId, detail: errorCatalogue.agent_run_erased.meaning },
  };
}

function refuseEnded(state: AgentState): void {
  if (isAgentRunEnded(state))
    throw new CountersignError('agent_run_ended', `the agent run is ${state.status}`);
}

/** Between two steps alone: a step that runs is let finish. */
function pausedWhereDue(state: AgentState): AgentState {
  const { maxStepsPerRun, stepsTaken, pauseRequested, plan, nextStepIndex, stepStatuses } = state;
  const next = plan[nextStepIndex];
  if (state.status !== 'running' && state.status !== 'pending') return state;
  if (next && stepStatuses[next.id] === 'running') return state;
  const spent = maxStepsPerRun !== null && stepsTaken >= maxStepsPerRun;
  if (!pauseRequested && !spent) return state;
  const pausedBy = pauseRequested ? 'asked' : 'step_budget';
  return { ...state, status: 'paused', pausedBy, pauseRequested: false };
}
