import { isSameIdentity } from '../access/identity';
import { checkSpeaksForAnother } from '../access/separation';
import { CountersignError } from '../errors';
import type { DecisionEnvelope } from './decision';
import type { ApprovalState, Authority } from './state';

/** Whoever asks for the refund, or is asked for: he answers questions, and decides nothing (R23). */
export function asks(approval: ApprovalState, who: Pick<Authority, 'id'>): boolean {
  const { requester, onBehalfOf, alsoFor = [] } = approval;
  return [requester, onBehalfOf, ...alsoFor].some((one) => isSameIdentity(who.id, one));
}

/**
 * Whoever a service or an agent speaks for asks for the refund too, from then on.
 * @throws CountersignError invalid_request for a person, who speaks for himself; separation_of_duties where the human
 * has had a say about this refund already
 */
export function speakingFor(
  approval: ApprovalState,
  { onBehalfOf: human }: Pick<DecisionEnvelope, 'onBehalfOf'>,
  who: Authority,
): ApprovalState {
  if (human === undefined) return approval;
  checkSpeaksForAnother(who);
  if (asks(approval, { id: human })) return approval;
  const hasSay = [
    ...approval.votes.map(({ actor }) => actor),
    ...(approval.delegations ?? []).flatMap(({ from, to }) => [from, to]),
    ...approval.proposals.map(({ by }) => by),
  ];
  if (hasSay.some((id) => isSameIdentity(id, human))) {
    throw new CountersignError(
      'separation_of_duties',
      `${human} decides on this refund, and can't ask for it too`,
    );
  }
  return { ...approval, alsoFor: [...(approval.alsoFor ?? []), human] };
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
