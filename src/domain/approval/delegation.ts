import { CountersignError } from '../errors';
import type { DecisionEnvelope } from './decision';
import type { ApprovalState, Authority, Delegation } from './state';
import { asks, isAsked } from './standing';

const delegationsOf = ({ delegations = [] }: ApprovalState): readonly Delegation[] => delegations;

/** Whether somebody's say was handed to him, and his groups still let him have it. */
export function isDelegate(approval: ApprovalState, who: Authority): boolean {
  return delegationsOf(approval).some((d) => d.to === who.id) && mayReceive(approval, who);
}

/** Where the chain that ends at this person begins. */
export function delegatorOf(approval: ApprovalState, id: string): string | undefined {
  const from = delegationsOf(approval).find((d) => d.to === id)?.from;
  return from === undefined ? undefined : (delegatorOf(approval, from) ?? from);
}

/** Handed over is handed over: a say counts once, whoever uses it. @throws CountersignError already_delegated */
export function checkKeptHisSay(approval: ApprovalState, who: Authority): void {
  const handed = delegationsOf(approval).find((d) => d.from === who.id);
  if (!handed) return;
  throw new CountersignError(
    'already_delegated',
    `${who.id} has handed his say over to ${handed.to}; he can take it back with a withdrawal`,
    { to: handed.to },
  );
}

/**
 * Hands a person's say over. Whoever gets it decides with his own groups and within his own limit.
 * @throws CountersignError invalid_request, forbidden, separation_of_duties; already_voted, already_delegated
 */
export function delegate(
  approval: ApprovalState,
  { decisionId, receivedAt }: DecisionEnvelope,
  from: Authority,
  to: Authority,
): ApprovalState {
  checkRecipient(approval, from, to);
  checkKeptHisSay(approval, from);
  if (approval.votes.some((v) => v.actor === from.id && v.revision === approval.revision)) {
    throw new CountersignError('already_voted', `${from.id} has voted; his vote can be withdrawn first`);
  }
  const chains = delegationsOf(approval);
  if (chains.some((d) => d.from === to.id || d.to === to.id)) {
    throw new CountersignError(
      'already_delegated',
      `${to.id} has been given a say already, or gave his away`,
      {
        to: to.id,
      },
    );
  }
  return { ...approval, delegations: [...chains, { decisionId, from: from.id, to: to.id, at: receivedAt }] };
}

/**
 * Whoever is given a say must be one that policy would let have it: a person, of a group that is asked, that escalation
 * would add, or that policy names for this; and not one who asks for the refund.
 * @throws CountersignError invalid_request, forbidden, separation_of_duties
 */
export function checkRecipient(approval: ApprovalState, from: Authority, to: Authority): void {
  if (to.id === from.id)
    throw new CountersignError('invalid_request', 'nobody hands his say over to himself');
  if (to.tenant !== approval.tenant || to.kind !== 'person') {
    throw new CountersignError('forbidden', `${to.id} is no person; agents and services decide nothing`);
  }
  if (asks(approval, to)) {
    throw new CountersignError(
      'separation_of_duties',
      `${to.id} asks for this refund, or is asked for; nobody can let him decide on it`,
    );
  }
  if (!mayReceive(approval, to)) {
    throw new CountersignError(
      'forbidden',
      `${to.id} is in no group that may be given a say about this refund`,
    );
  }
}

function mayReceive(approval: ApprovalState, who: Authority): boolean {
  const { escalation, delegateTo = [] } = approval.policy;
  return (
    isAsked(approval, who) || who.groups.some((g) => g === escalation?.toGroup || delegateTo.includes(g))
  );
}

/** Takes back what a person handed over, with all that was handed on from there; undefined where that is too late. */
export function takeBack(approval: ApprovalState, from: string): ApprovalState | undefined {
  let gone = delegationsOf(approval).filter((d) => d.from === from);
  for (let last = gone; last.length > 0;) {
    const holders = last.map((d) => d.to);
    last = delegationsOf(approval).filter((d) => holders.includes(d.from));
    gone = [...gone, ...last];
  }
  const used = approval.votes.some((v) => gone.some((d) => d.to === v.actor));
  if (gone.length === 0 || used) return undefined;
  return { ...approval, delegations: delegationsOf(approval).filter((d) => !gone.includes(d)) };
}
