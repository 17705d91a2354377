import { sql } from 'kysely';
import type { AgentState } from '../../domain/agent/state';
import { pageOf } from '../../domain/page';
import type {
  AgentProposal,
  AgentRun,
  AgentRunFilter,
  AgentRunPosition,
  AgentRuns,
  ModelUsage,
  NewAgentRun,
} from '../../ports/agentRuns';
import type { Transaction } from './database';

export class PostgresAgentRuns implements AgentRuns {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async create({ runId, fingerprint, requester, keyId, state, owner, goal, onBehalfOf }: NewAgentRun) {
    const made = await this.trx
      .insertInto('agent_runs')
      .values({
        run_id: runId,
        tenant: this.tenant,
        fingerprint,
        requester,
        key_id: keyId,
        status: state.status,
        state: JSON.stringify(state),
      })
      .onConflict((oc) => oc.column('run_id').doNothing())
      .returning('run_id')
      .executeTakeFirst();
    if (!made) return false;
    await this.trx
      .insertInto('agent_run_texts')
      .values({ run_id: runId, tenant: this.tenant, owner, goal, on_behalf_of: onBehalfOf, proposal: null })
      .execute();
    return true;
  }

  async find(runId: string): Promise<AgentRun | undefined> {
    const row = await this.selected().where('agent_runs.run_id', '=', runId).executeTakeFirst();
    return row && agentRunOf(row);
  }

  async list({ status, seenBy, after, limit }: AgentRunFilter) {
    const rows = await this.selected()
      .$if(status !== undefined, (q) => q.where('status', '=', status ?? 'pending'))
      .$if(seenBy !== undefined, (q) => q.where(sql<boolean>`${seenBy} in (requester, on_behalf_of, owner)`))
      .$if(after !== undefined, (q) =>
        q.where(
          sql<boolean>`(agent_runs.created_at, agent_runs.run_id) < (${after?.createdAt}::timestamptz, ${after?.runId})`,
        ),
      )
      .orderBy('agent_runs.created_at', 'desc')
      .orderBy('agent_runs.run_id', 'desc')
      .limit(limit + 1)
      .execute();
    const { page, last } = pageOf(rows, limit);
    const next: AgentRunPosition | undefined = last && { createdAt: last.created_text, runId: last.run_id };
    return { items: page.map(agentRunOf), next };
  }

  async save(runId: string, version: number, state: AgentState): Promise<boolean> {
    const saved = await this.trx
      .updateTable('agent_runs')
      .set({
        state: JSON.stringify(state),
        status: state.status,
        version: version + 1,
        updated_at: sql<Date>`clock_timestamp()`,
      })
      .where('tenant', '=', this.tenant)
      .where('run_id', '=', runId)
      .where('version', '=', version)
      .returning('version')
      .executeTakeFirst();
    return saved !== undefined;
  }

  async keepProposal(runId: string, proposal: AgentProposal): Promise<AgentProposal | undefined> {
    await this.trx
      .updateTable('agent_run_texts')
      .set({ proposal: JSON.stringify(proposal) })
      .where('tenant', '=', this.tenant)
      .where('run_id', '=', runId)
      .where('proposal', 'is', null)
      .execute();
    return (await this.find(runId))?.texts?.proposal ?? undefined;
  }

  async holdTexts(runId: string): Promise<boolean> {
    const held = await this.trx
      .selectFrom('agent_run_texts')
      .select('run_id')
      .where('tenant', '=', this.tenant)
      .where('run_id', '=', runId)
      .forShare()
      .executeTakeFirst();
    return held !== undefined;
  }

  async withoutTexts(): Promise<string[]> {
    const rows = await this.selected()
      .where('agent_run_texts.run_id', 'is', null)
      .where('status', 'not in', ['completed', 'failed'])
      .execute();
    return rows.map((row) => row.run_id);
  }

  async addUsage(runId: string, { calls, inputTokens, outputTokens, costMicros }: ModelUsage): Promise<void> {
    await this.trx
      .updateTable('agent_runs')
      .set((row) => ({
        model_calls: row('model_calls', '+', calls),
        input_tokens: row('input_tokens', '+', inputTokens),
        output_tokens: row('output_tokens', '+', outputTokens),
        cost_micros: row('cost_micros', '+', costMicros),
      }))
      .where('tenant', '=', this.tenant)
      .where('run_id', '=', runId)
      .execute();
  }

  async ofRefund(refundRunId: string): Promise<string | undefined> {
    const row = await this.trx
      .selectFrom('refund_requests')
      .innerJoin('agent_runs', (join) =>
        join
          .onRef('agent_runs.tenant', '=', 'refund_requests.tenant')
          .on(sql<boolean>`agent_runs.run_id = split_part(refund_requests.idempotency_key, ':', 1)`),
      )
      .select('agent_runs.run_id')
      .where('refund_requests.tenant', '=', this.tenant)
      .where('refund_requests.run_id', '=', refundRunId)
      .executeTakeFirst();
    return row?.run_id;
  }

  private selected() {
    return this.trx
      .selectFrom('agent_runs')
      .leftJoin('agent_run_texts', 'agent_run_texts.run_id', 'agent_runs.run_id')
      .selectAll('agent_runs')
      .select(['owner', 'goal', 'on_behalf_of', 'proposal'])
      .select(sql<string>`agent_runs.created_at::text`.as('created_text'))
      .where('agent_runs.tenant', '=', this.tenant);
  }
}

type Row = Awaited<ReturnType<ReturnType<PostgresAgentRuns['selected']>['execute']>>[number];

function agentRunOf(row: Row): AgentRun {
  const { owner, goal } = row;
  return {
    runId: row.run_id,
    tenant: row.tenant,
    fingerprint: row.fingerprint,
    requester: row.requester,
    keyId: row.key_id,
    version: row.version,
    state: row.state,
    texts:
      owner === null || goal === null
        ? null
        : { owner, goal, onBehalfOf: row.on_behalf_of, proposal: row.proposal },
    usage: {
      calls: row.model_calls,
      inputTokens: Number(row.input_tokens),
      outputTokens: Number(row.output_tokens),
      costMicros: Number(row.cost_micros),
    },
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  };
}
