import type { AgentFailure } from '../domain/agent/progress';
import type { AgentRunInput, AgentState } from '../domain/agent/state';

export interface AgentStepToTake extends AgentRunInput {
  readonly stepId: string;
}

/** `stepId` is `plan` while there is no plan. */
export interface AgentStepThatFailed extends AgentStepToTake {
  readonly failure: AgentFailure;
}

/**
 * What an agent run does, through the use cases that every caller goes through; src/main joins the two. Every method
 * writes the run's row and answers with its state; repeating one changes nothing more.
 */
export interface AgentDesk {
  /** @throws CountersignError not_started_here */
  open(run: AgentRunInput): Promise<AgentState>;
  plan(run: AgentRunInput, signal: AbortSignal): Promise<AgentState>;
  take(step: AgentStepToTake, signal: AbortSignal): Promise<AgentState>;
  /** Ends every run of a tenant whose words an erasure has taken away. */
  endErased(tenant: string): Promise<void>;
  /** What it waits for has happened: told at once, or by re-delivery of what is owed under `ref`. */
  wake(run: AgentRunInput, ref: string): Promise<void>;
  fail(step: AgentStepThatFailed): Promise<{ readonly state: AgentState; readonly pauseMs: number | null }>;
}
