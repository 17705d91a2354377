import { CedarAuthorization } from '../../src/adapters/policy/cedar';
import { Database } from '../../src/adapters/postgres/database';
import { PostgresMemories } from '../../src/adapters/postgres/memories';
import type { UseCases } from '../../src/application/dependencies';
import type { DecisionKind } from '../../src/domain/approval/message';
import type { ApprovalState } from '../../src/domain/approval/state';
import type { MemoryCandidate } from '../../src/domain/memory/candidate';
import type { MemoryActor } from '../../src/domain/memory/gate';
import { actor, preference } from '../adapters/memoryFixture';
import { query } from '../support/database';
import { ActivityFixture } from './activityFixture';

export const agent = actor('agent', 'agent');

/** Rules of procedure and what is done about them, as a worker calls the activities; with two administrators more. */
export class RuleFixture {
  private constructor(
    readonly activities: ActivityFixture,
    readonly memories: PostgresMemories,
    readonly doors: Pick<UseCases, 'store' | 'authorization'>,
    private readonly pool: Database,
  ) {}

  static async open(): Promise<RuleFixture> {
    const activities = await ActivityFixture.open();
    const pool = new Database(activities.database.url);
    const authorization = new CedarAuthorization();
    const memories = new PostgresMemories(pool, authorization);
    const fixture = new RuleFixture(activities, memories, { store: activities.store, authorization }, pool);
    await fixture.rows(`insert into principals (tenant, id, kind, display_name, groups) values
      ('acme', 'admin2', 'person', 'Second', '{admins}'), ('acme', 'admin3', 'person', 'Third', '{admins}')`);
    return fixture;
  }

  rows(text: string): Promise<Record<string, unknown>[]> {
    return query<Record<string, unknown>>(this.activities.database.adminUrl, text);
  }

  /** What is owed to Temporal about it. */
  owed(id: string): Promise<unknown[]> {
    return this.rows(`select kind, ref from outbox where run_id = '${id}' order by id`);
  }

  recall(owner: string) {
    return this.memories.recall({ tenant: 'acme', owner }, { limit: 50 });
  }

  async candidate(id: string): Promise<Record<string, unknown> | undefined> {
    return (await this.rows(`select status, value from memory_candidates where id = '${id}'`))[0];
  }

  async approval(candidateId: string): Promise<unknown> {
    const [row] = await this.rows(`select status from approvals where run_id = '${candidateId}'`);
    return row?.['status'];
  }

  /** A rule as the gate lets it wait. @returns its id */
  async proposed(
    owner: string,
    change: Partial<MemoryCandidate> = {},
    by: MemoryActor = agent,
  ): Promise<string> {
    const candidate = preference(owner, {
      kind: 'procedural',
      key: 'procedure/greeting',
      value: `Greet ${owner} with zanzibar.`,
      source: 'inferred',
      explicitUserRequest: false,
      evidence: [{ kind: 'turn', ref: `thread-${owner}/1` }],
      ...change,
    });
    const { candidateId, memoryId } = await this.memories.propose(candidate, by);
    expect([memoryId, candidateId]).toEqual([null, expect.stringMatching(/^mcd_/)]);
    return candidateId ?? '';
  }

  async opened(candidateId: string, epoch = this.activities.epoch): Promise<ApprovalState> {
    const of = { tenant: 'acme', candidateId, epoch, now: Date.now() };
    const approval = await this.activities.run('openMemoryProposal', of);
    if (!approval) throw new Error('nobody is asked');
    return approval;
  }

  async decided(approval: ApprovalState, who: string, kind: DecisionKind = 'approve') {
    const { activities } = this;
    const message = await activities.recorded(activities.envelope(approval, who, kind), 'Why not.');
    return activities.run('applyDecision', activities.toApply(approval, message));
  }

  adopt({ runId: candidateId }: ApprovalState, epoch = this.activities.epoch) {
    const votedIn = this.activities.epoch;
    return this.activities.run('adoptMemory', { tenant: 'acme', candidateId, epoch, votedIn });
  }

  /** Done twice, as after the death of a worker. */
  close({ runId: candidateId }: ApprovalState, outcome: 'rejected' | 'expired' | 'cancelled') {
    const ending = { tenant: 'acme', candidateId, epoch: this.activities.epoch, now: Date.now() };
    return this.activities.twice('closeMemoryProposal', { ...ending, outcome });
  }

  /** Whether its candidate is on record as gone. */
  async isGone({ runId }: ApprovalState): Promise<boolean> {
    const cancel = { tenant: 'acme', runId, actor: 'countersign' };
    return (await this.activities.run('confirmCancel', cancel)).onRecord;
  }

  async end(): Promise<void> {
    await this.pool.close();
    await this.activities.close();
  }
}
