import type { Generated } from 'kysely';
import type { AgentRunStatus, AgentState } from '../../domain/agent/state';
import type { AgentProposal } from '../../ports/agentRuns';
import type { Json } from './columns';

/** The tables of migrations/0022_agent_runs.ts. */
export interface AgentRunTables {
  agent_runs: {
    run_id: string;
    tenant: string;
    fingerprint: string;
    requester: string;
    key_id: string;
    status: AgentRunStatus;
    state: Json<AgentState>;
    version: Generated<number>;
    model_calls: Generated<number>;
    input_tokens: Generated<number>;
    output_tokens: Generated<number>;
    cost_micros: Generated<number>;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
  };
  agent_run_texts: {
    run_id: string;
    tenant: string;
    owner: string;
    goal: string;
    on_behalf_of: string | null;
    proposal: Json<AgentProposal> | null;
    created_at: Generated<Date>;
  };
}
