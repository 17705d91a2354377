import type { DecisionEnvelope } from '../../domain/approval/decision';
import type { DecisionAnswer } from '../../domain/approval/message';
import type { Decisions, StoredDecision } from '../../ports/approvals';
import type { Transaction } from './database';

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

  async record(
    decision: Omit<StoredDecision, 'status' | 'answer' | 'epoch'>,
    comment?: string,
  ): Promise<boolean> {
    const { envelope, content, channel } = decision;
    const inserted = await this.trx
      .insertInto('decisions')
      .values({
        approval_id: envelope.approvalId,
        decision_id: envelope.decisionId,
        tenant: this.tenant,
        run_id: envelope.runId,
        content: content,
        decision: JSON.stringify(envelope),
        comment: comment ?? null,
        channel,
        received_at: new Date(envelope.receivedAt),
        status: 'recorded',
        outcome: null,
        epoch: null,
      })
      .onConflict((oc) => oc.columns(['approval_id', 'decision_id']).doNothing())
      .returning('decision_id')
      .executeTakeFirst();
    return inserted !== undefined;
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
}

function storedDecision(row: {
  decision: unknown;
  content: string;
  channel: string;
  status: StoredDecision['status'];
  outcome: unknown;
  epoch: string | null;
}): StoredDecision {
  return {
    envelope: row.decision as DecisionEnvelope,
    content: row.content,
    channel: row.channel,
    status: row.status,
    answer: row.outcome as DecisionAnswer | null,
    epoch: row.epoch,
  };
}
