import type { DecisionMessage } from '../src/domain/approval/message';
import type { Dependencies } from './dependencies';

/**
 * Decisions on record that the run has not answered. Asked before an approval expires: one that was acknowledged
 * while Temporal was down may be in PostgreSQL alone, and counts by when it was received (R26).
 */
export function owedDecisions({ store }: Pick<Dependencies, 'store'>) {
  return async ({
    tenant,
    approvalId,
  }: {
    readonly tenant: string;
    readonly approvalId: string;
  }): Promise<DecisionMessage[]> =>
    store.inTenant(tenant, async (unit) =>
      (await unit.decisions.unanswered(approvalId)).map(({ envelope }) => ({
        kind: 'recorded',
        approvalId,
        decisionId: envelope.decisionId,
        decision: envelope.decision,
        proposalHash: envelope.proposalHash,
      })),
    );
}
