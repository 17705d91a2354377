import { mayDecide } from '../src/domain/approval/authority';
import { voidVotes } from '../src/domain/approval/decide';
import type { ApprovalState } from '../src/domain/approval/state';
import type { Ask } from '../src/domain/policy/authorization';
import type { Authorization } from '../src/ports/authorization';
import type { Unit } from '../src/ports/store';

/** Whose votes stand no more, by groups and limits as they are now (R23). */
export async function votersNotPermitted(unit: Unit, approval: ApprovalState, ask: Ask): Promise<string[]> {
  const lost: string[] = [];
  for (const { actor, decisionId, onAuthorityOf } of approval.votes) {
    const who = await unit.people.find(actor);
    const giver = onAuthorityOf === undefined ? undefined : await unit.people.find(onAuthorityOf);
    const given = onAuthorityOf === undefined || (giver && mayDecide(approval, giver, 'delegate', ask));
    const proven = await isStillProven(unit, approval.id, decisionId);
    if (!who || !given || !proven || !mayDecide(approval, who, 'approve', ask)) lost.push(actor);
  }
  return lost;
}

/** The approval with the votes that still stand. */
export async function votersStillPermitted(
  unit: Unit,
  authorization: Authorization,
  approval: ApprovalState,
): Promise<ApprovalState> {
  const ask = authorization.under(await unit.policies.published(approval.policy.policyVersion));
  return voidVotes(approval, await votersNotPermitted(unit, approval, ask));
}

/** What a channel's key had signed counts no more once that key is revoked. */
async function isStillProven(unit: Unit, approvalId: string, decisionId: string): Promise<boolean> {
  const decision = await unit.decisions.find(approvalId, decisionId);
  return decision === undefined || unit.channelKeys.stands(decision.channel);
}
