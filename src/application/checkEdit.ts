import { checkEditable } from '../domain/approval/addressed';
import { applyEdit, type DecisionBody } from '../domain/approval/decision';
import type { ApprovalState } from '../domain/approval/state';
import { CountersignError } from '../domain/errors';
import { refuseMoreThanLines } from '../domain/refund/lines';
import { ofMoney } from '../domain/refund/state';
import type { Unit } from '../ports/store';

/** What makes an edit impossible whoever asks for it; a stale one is told so later, as stale. */
export async function checkEdit(unit: Unit, approval: ApprovalState, body: DecisionBody): Promise<void> {
  if (approval.status !== 'open' || body.proposalHash !== approval.proposalHash) return;
  checkEditable(approval, body.decision);
  const before = ofMoney(approval.arguments);
  const { amount } = applyEdit(before, body.arguments ?? {});
  const run = await unit.runs.find(approval.runId);
  refuseMoreThanLines(run?.lines ?? [], amount.minor);
  const balance = await unit.ledger.find(approval.target);
  const available = (balance?.remaining ?? 0) + before.amount.minor;
  if (amount.minor > available) {
    throw new CountersignError('exceeds_remaining', undefined, {
      requested: amount.minor,
      remaining: available,
      currency: amount.currency,
    });
  }
}
