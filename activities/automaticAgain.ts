import type { ApprovalState } from '../src/domain/approval/state';
import type { Authorization } from '../src/ports/authorization';
import type { Unit } from '../src/ports/store';
import { judge, orAskPeople } from './evaluatePolicy';
import { publishIn, type ApprovalToPublish } from './publishApproval';

/**
 * A refund that nobody was asked about, just before money moves: where the refund's past as it is now forbids that, an
 * approval is opened after all. @returns undefined where it may go on
 */
export async function approvalAfterAll(
  unit: Unit,
  authorization: Authorization,
  run: Omit<ApprovalToPublish, 'policy' | 'input'> & { readonly tenant: string; readonly runId: string },
): Promise<ApprovalState | undefined> {
  const { tenant, runId, epoch } = run;
  const opened = await unit.approvals.ofRun(runId);
  if (opened?.epoch === epoch && opened.approval.status === 'open') return opened.approval;
  const found = await unit.runs.find(runId);
  if (!found) return undefined;
  const byTable = await judge(unit, runId, run.arguments.amount, false);
  // Only what the rules say of its past is asked again: the amount was held before the table was asked (R30).
  const asked = { ...byTable, decision: 'automatic' } as const;
  const { decision } = await orAskPeople(unit, authorization, runId, asked);
  if (decision.decision === 'automatic') return undefined;
  const { requester, onBehalfOf } = found;
  await unit.runs.change(runId, { automatic: false });
  return publishIn(unit, {
    ...run,
    input: { tenant, runId, requester, ...(onBehalfOf === null ? {} : { onBehalfOf }) },
    policy: { ...decision, needed: Math.max(decision.needed, byTable.needed) },
  });
}
