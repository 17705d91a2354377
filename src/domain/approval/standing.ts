import { isSameIdentity } from '../access/identity';
import { CountersignError } from '../errors';
import type { ApprovalState, Authority } from './state';

/** Whoever asks for the refund, or is asked for: he answers questions, and decides nothing (R23). */
export function asks(approval: ApprovalState, who: Pick<Authority, 'id'>): boolean {
  return isSameIdentity(who.id, approval.requester) || isSameIdentity(who.id, approval.onBehalfOf);
}

/** @throws CountersignError forbidden */
export function checkAsker(approval: ApprovalState, who: Authority): void {
  if (asks(approval, who)) return;
  throw new CountersignError(
    'forbidden',
    'only whoever asked for the refund, or the person he asks for, answers questions about it',
  );
}

/** Whether policy or an escalation asks one of his own groups. */
export function isAsked({ policy, escalatedTo }: ApprovalState, who: Pick<Authority, 'groups'>): boolean {
  const asked = [policy.approverGroup, policy.oneFrom, ...escalatedTo];
  return who.groups.some((group) => asked.includes(group));
}
