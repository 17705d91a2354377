import type { AgentDesk } from '../../src/ports/agentDesk';

/** For suites that start no agent run. */
export const noAgentRuns = {} as AgentDesk;
