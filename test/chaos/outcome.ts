import type { ApprovalView } from '../../src/application/views';
import type { TestStack } from '../support/stack';
import { query } from '../support/database';
import { auditOf, balanceOf, brokenAuditRows, paidOut } from '../workflows/evidence';

/** One refund of 120.00 that people approve: the subject of every death in this folder. */
export const refundOf = { amount: '120.00', minor: 12_000 } as const;

/** Everything that must hold of one such refund however many processes died: counted at the provider and in our rows. */
export async function outcomeOf(
  stack: Pick<TestStack, 'database' | 'provider'>,
  charge: string,
  runId: string,
) {
  const [decisions, notices, lines, broken] = await Promise.all([
    query<{ status: string }>(stack.database.adminUrl, 'select status from decisions where run_id = $1', [
      runId,
    ]),
    query<{ key: string }>(stack.database.adminUrl, 'select key from notifications where run_id = $1', [
      runId,
    ]),
    auditOf(stack, runId),
    brokenAuditRows(stack, runId),
  ]);
  return {
    provider: await paidOut(stack, charge),
    ledger: await balanceOf(stack, charge),
    decisions: decisions.map(({ status }) => status),
    told: notices.map(({ key }) => key),
    sent: lines.filter(({ event }) => event === 'refund_sent').length,
    approvals: lines.filter(({ event }) => event === 'decision_approve').length,
    brokenAuditRows: broken,
  };
}

export function paidOnce(captured: number, runId: string): Awaited<ReturnType<typeof outcomeOf>> {
  return {
    provider: [[refundOf.minor, 'succeeded']],
    ledger: { captured, refunded: refundOf.minor, unknown: 0, reserved: 0 },
    decisions: ['applied'],
    told: [`${runId}:notify`],
    sent: 1,
    approvals: 1,
    brokenAuditRows: [],
  };
}

export type Opened = { readonly charge: string; readonly approval: ApprovalView };
