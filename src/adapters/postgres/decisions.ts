import { sql, type Selectable } from 'kysely';
import type { DecisionEnvelope } from '../../domain/approval/decision';
import type { DecisionAnswer } from '../../domain/approval/message';
import type { Decisions, NewDecision, StoredDecision } from '../../ports/approvals';
import type { Transaction } from './database';
import type { Tables } from './tables';

export class PostgresDecisions implements Decisions {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async find(approvalId: string, decisionId: string): Promise<StoredDecision | undefined> {
    const row = await this.trx
      .selectFrom('decisions')
      .selectAll()
      .where('approval_id', '=', approvalId)
      .where('decision_id', '=', decisionId)
      .executeTakeFirst();
    return row && storedDecision(row);
  }

  async unanswered(approvalId: string): Promise<StoredDecision[]> {
    const rows = await this.trx
      .selectFrom('decisions')
      .selectAll()
      .where('approval_id', '=', approvalId)
      .where('status', '=', 'recorded')
      .orderBy('received_at')
      .orderBy('decision_id')
      .execute();
    return rows.map(storedDecision);
  }

  async appliedTo(approvalIds: readonly string[]): Promise<StoredDecision[]> {
    if (approvalIds.length === 0) return [];
    const rows = await this.trx
      .selectFrom('decisions')
      .selectAll()
      .where('approval_id', 'in', approvalIds)
      .where('status', '=', 'applied')
      .orderBy('received_at')
      .orderBy('decision_id')
      .execute();
    return rows.map(storedDecision);
  }

  async record(decision: NewDecision, comment?: string): Promise<boolean> {
    return this.write(decision, 'recorded', comment);
  }

  async keepSigned(decision: NewDecision, comment: string): Promise<boolean> {
    return this.write(decision, 'signed', comment);
  }

  /** One that was given out signed, or voided, may come again as the same decision. */
  private async write(
    { envelope, content, channel }: NewDecision,
    status: 'signed' | 'recorded',
    comment?: string,
  ): Promise<boolean> {
    const moving = {
      decision: JSON.stringify(envelope),
      channel,
      received_at: new Date(envelope.receivedAt),
      status,
    };
    const written = await this.trx
      .insertInto('decisions')
      .values({
        approval_id: envelope.approvalId,
        decision_id: envelope.decisionId,
        tenant: this.tenant,
        run_id: envelope.runId,
        content,
        comment: comment ?? null,
        outcome: null,
        epoch: null,
        ...moving,
      })
      .onConflict((oc) =>
        oc
          .columns(['approval_id', 'decision_id'])
          .doUpdateSet({ ...moving, comment: sql`coalesce(excluded.comment, decisions.comment)` })
          .where('decisions.status', 'in', status === 'signed' ? ['signed'] : ['signed', 'voided'])
          .where('decisions.content', '=', content),
      )
      .returning('decision_id')
      .executeTakeFirst();
    return written !== undefined;
  }

  async void(approvalId: string, decisionId: string): Promise<void> {
    await this.trx
      .updateTable('decisions')
      .set({ status: 'voided', outcome: null })
      .where('approval_id', '=', approvalId)
      .where('decision_id', '=', decisionId)
      .execute();
  }

  async answer(
    approvalId: string,
    decisionId: string,
    answer: DecisionAnswer,
    epoch: string | null,
  ): Promise<void> {
    await this.trx
      .updateTable('decisions')
      .set({ status: answer.accepted ? 'applied' : 'refused', outcome: JSON.stringify(answer), epoch })
      .where('approval_id', '=', approvalId)
      .where('decision_id', '=', decisionId)
      .execute();
  }

  async takeOver(approvalId: string, from: string, epoch: string): Promise<void> {
    await this.trx
      .updateTable('decisions')
      .set({ epoch })
      .where('approval_id', '=', approvalId)
      .where('epoch', '=', from)
      .execute();
  }
}

function storedDecision(row: Selectable<Tables['decisions']>): StoredDecision {
  return {
    envelope: row.decision as DecisionEnvelope,
    content: row.content,
    channel: row.channel,
    status: row.status,
    answer: row.outcome as DecisionAnswer | null,
    epoch: row.epoch,
    ...(row.comment === null ? {} : { comment: row.comment }),
  };
}
