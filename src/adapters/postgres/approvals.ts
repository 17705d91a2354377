import { sql, type Selectable } from 'kysely';
import { columnsOf } from '../../domain/approval/projection';
import type { RiskMark } from '../../domain/approval/risk';
import type { ApprovalState } from '../../domain/approval/state';
import type { RiskFacts } from '../../domain/risk/facts';
import { isCandidateId } from '../../domain/contract';
import { factsOfRule } from '../../domain/memory/proposal';
import type { ApprovedArguments } from '../../domain/refund/state';
import type { ApprovalRevision, Approvals, StoredApproval } from '../../ports/approvals';
import type { Transaction } from './database';
import { candidatesById } from './memoryCandidates';
import type { Tables } from './tables';

export class PostgresApprovals implements Approvals {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async find(approvalId: string): Promise<StoredApproval | undefined> {
    const rows = await this.trx.selectFrom('approvals').selectAll().where('id', '=', approvalId).execute();
    return (await storedApprovals(this.trx, this.tenant, rows))[0];
  }

  async ofRun(runId: string): Promise<StoredApproval | undefined> {
    const rows = await this.trx.selectFrom('approvals').selectAll().where('run_id', '=', runId).execute();
    return (await storedApprovals(this.trx, this.tenant, rows))[0];
  }

  async lock(approvalId: string): Promise<StoredApproval | undefined> {
    const rows = await this.trx
      .selectFrom('approvals')
      .selectAll()
      .where('id', '=', approvalId)
      .forUpdate()
      .execute();
    return (await storedApprovals(this.trx, this.tenant, rows))[0];
  }

  async save(
    approval: ApprovalState,
    epoch: string,
    facts?: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { status, approverGroup, amount, currency, openedAt, deadline } = columnsOf(approval);
    const moving = {
      epoch,
      status,
      approver_group: approverGroup,
      amount,
      currency,
      opened_at: new Date(openedAt),
      state: JSON.stringify(approval),
      deadline: new Date(deadline),
      ...(facts === undefined ? {} : { facts: JSON.stringify(facts) }),
    };
    await this.trx
      .insertInto('approvals')
      .values({
        id: approval.id,
        tenant: this.tenant,
        run_id: approval.runId,
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
        risk: approval.risk === undefined ? null : JSON.stringify(approval.risk),
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
      arguments: row.arguments as ApprovedArguments,
      proposedBy: row.proposed_by,
      risk: row.risk as RiskFacts | null,
    }));
  }
}

/** A rule of procedure comes with what it says, which stands with its candidate alone. */
export async function storedApprovals(
  trx: Transaction,
  tenant: string,
  rows: readonly Selectable<Tables['approvals']>[],
): Promise<StoredApproval[]> {
  const rules = rows.map((row) => row.run_id).filter(isCandidateId);
  const candidates = rules.length === 0 ? [] : await candidatesById(trx, tenant, rules);
  return rows.map((row) => {
    const candidate = candidates.find(({ id }) => id === row.run_id);
    const facts = row.facts as Record<string, unknown>;
    return {
      approval: row.state as ApprovalState,
      epoch: row.epoch,
      facts: candidate ? { ...facts, ...factsOfRule(candidate) } : facts,
      risk: row.risk as RiskMark[],
      ...(candidate ? { candidate } : {}),
    };
  });
}
