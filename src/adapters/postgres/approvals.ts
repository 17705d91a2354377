import { sql, type Selectable } from 'kysely';
import type { ApprovalState } from '../../domain/approval/state';
import type { RefundArguments } from '../../domain/refund/state';
import type { ApprovalFilter, ApprovalRevision, Approvals, StoredApproval } from '../../ports/approvals';
import type { Transaction } from './database';
import type { Tables } from './tables';

export class PostgresApprovals implements Approvals {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async find(approvalId: string): Promise<StoredApproval | undefined> {
    const row = await this.trx
      .selectFrom('approvals')
      .selectAll()
      .where('id', '=', approvalId)
      .executeTakeFirst();
    return row && storedOf(row);
  }

  async ofRun(runId: string): Promise<StoredApproval | undefined> {
    const row = await this.trx
      .selectFrom('approvals')
      .selectAll()
      .where('run_id', '=', runId)
      .executeTakeFirst();
    return row && storedOf(row);
  }

  async lock(approvalId: string): Promise<StoredApproval | undefined> {
    const row = await this.trx
      .selectFrom('approvals')
      .selectAll()
      .where('id', '=', approvalId)
      .forUpdate()
      .executeTakeFirst();
    return row && storedOf(row);
  }

  async save(
    approval: ApprovalState,
    epoch: string,
    facts?: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { minor, currency } = approval.arguments.amount;
    const moving = {
      epoch,
      status: approval.status,
      approver_group: approval.policy.oneFrom ?? approval.policy.approverGroup,
      amount: minor,
      state: JSON.stringify(approval),
      deadline: new Date(approval.deadline),
      ...(facts === undefined ? {} : { facts: JSON.stringify(facts) }),
    };
    await this.trx
      .insertInto('approvals')
      .values({
        id: approval.id,
        tenant: this.tenant,
        run_id: approval.runId,
        currency,
        opened_at: new Date(approval.openedAt),
        facts: '{}',
        ...moving,
      })
      .onConflict((oc) => oc.column('id').doUpdateSet({ ...moving, version: sql`approvals.version + 1` }))
      .execute();
    await this.trx
      .insertInto('approval_revisions')
      .values({
        approval_id: approval.id,
        revision: approval.revision,
        tenant: this.tenant,
        proposal_hash: approval.proposalHash,
        arguments: JSON.stringify(approval.arguments),
        proposed_by: approval.proposals.at(-1)?.by ?? approval.requester,
      })
      .onConflict((oc) => oc.doNothing())
      .execute();
  }

  async revisions(approvalId: string): Promise<ApprovalRevision[]> {
    const rows = await this.trx
      .selectFrom('approval_revisions')
      .selectAll()
      .where('approval_id', '=', approvalId)
      .orderBy('revision')
      .execute();
    return rows.map((row) => ({
      revision: row.revision,
      proposalHash: row.proposal_hash,
      arguments: row.arguments as RefundArguments,
      proposedBy: row.proposed_by,
    }));
  }

  async list(
    filter: ApprovalFilter,
  ): Promise<{ items: StoredApproval[]; nextCursor: ApprovalFilter['cursor'] | null }> {
    const { status, group, openedBefore, cursor } = filter;
    const rows = await this.trx
      .selectFrom('approvals')
      .selectAll()
      .select(sql<string>`opened_at::text`.as('opened_text'))
      .where('tenant', '=', this.tenant)
      .$if(status !== undefined, (q) => q.where('status', '=', status ?? 'open'))
      .$if(group !== undefined, (q) => q.where('approver_group', '=', group ?? ''))
      .$if(openedBefore !== undefined, (q) => q.where('opened_at', '<=', new Date(openedBefore ?? 0)))
      .$if(cursor !== undefined, (q) =>
        q.where(sql<boolean>`(opened_at, id) > (${cursor?.openedAt}::timestamptz, ${cursor?.id})`),
      )
      .orderBy('opened_at')
      .orderBy('id')
      .limit(filter.limit + 1)
      .execute();
    const page = rows.slice(0, filter.limit);
    const last = page.at(-1);
    return {
      items: page.map(storedOf),
      nextCursor: rows.length > filter.limit && last ? { openedAt: last.opened_text, id: last.id } : null,
    };
  }
}

function storedOf(row: Selectable<Tables['approvals']>): StoredApproval {
  return {
    approval: row.state as ApprovalState,
    epoch: row.epoch,
    facts: row.facts as Record<string, unknown>,
  };
}
