import type { BodyOf, Schemas } from './schemas';

/** What an agent run is started with. */
export type NewAgentRun = BodyOf<'startAgentRun'>;

/** One agent run. Times in ISO 8601, UTC. */
export type AgentRun = Schemas['AgentRun'];
export type AgentRunStatus = AgentRun['status'];
export type AgentStep = Schemas['AgentStep'];
export type AgentStepType = AgentStep['type'];
export type AgentStepStatus = AgentRun['stepStatuses'][string];
/** What a step came to; which, its type says. */
export type AgentStepOutput = Schemas['AgentStepOutput'];
export type AgentError = Schemas['AgentError'];
