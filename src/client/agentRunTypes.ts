import type {
  AgentError,
  AgentRunStatus,
  AgentState,
  AgentStep,
  AgentStepOutput,
  AgentStepStatus,
} from '../domain/agent/state';

export type { AgentError, AgentRunStatus, AgentStep, AgentStepOutput, AgentStepStatus };

/** One agent run. Times in ISO 8601, UTC. */
export interface AgentRun extends Omit<AgentState, 'goal'> {
  /** Counts every change. */
  readonly version: number;
  /** Null once its words were erased, as the next three can be. */
  readonly goal: string | null;
  readonly ownerId: string | null;
  readonly onBehalfOf: string | null;
  readonly requester: string;
  /** What models were asked for it. */
  readonly usage: {
    readonly calls: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd: string;
  };
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly links: {
    readonly self: string;
    readonly pause: string;
    readonly resume: string;
    readonly thread: string;
  };
}

/** What an agent run is started with. */
export interface NewAgentRun {
  /** What is to be reached, in words. Up to 2,000 characters. */
  readonly goal: string;
  /** The conversation that it is about; without one, one begins with the goal. */
  readonly threadId?: string | undefined;
  /** Whose conversation that is; your own without it. */
  readonly ownerId?: string | undefined;
  /** The human behind a service or agent. */
  readonly onBehalfOf?: string | undefined;
  /** It pauses after as many steps, 1 to 100, until it is resumed. */
  readonly maxStepsPerRun?: number | undefined;
}
