import { CountersignError } from '../errors';
import { checkAddressed, checkEditable } from './addressed';
import type { Ask } from '../policy/authorization';
import { checkAuthority } from './authority';
import { approve, edit, reject } from './decide';
import type { DecisionEnvelope } from './decision';
import { checkKeptHisSay, delegate } from './delegation';
import {
  answerInfo,
  checkUnclaimed,
  claim,
  escalate,
  release,
  requestInfo,
  withdraw,
  withoutClaimOf,
  withoutQuestionOf,
} from './handling';
import { speakingFor } from './standing';
import type { ApprovalState, Authority, RevisedProposal } from './state';

/** What a decision needs that only the database and the tenant's policy know. */
export interface Known {
  /** Under the version that the approval was opened under. */
  readonly ask: Ask;
  /** What an edit makes of the proposal, judged by policy. */
  readonly revised?: RevisedProposal;
  /** Under the version that judged it. */
  readonly askOfRevised?: Ask;
  /** Whom a delegation names, as he is now. */
  readonly recipient?: Authority;
}

/**
 * Whether this decision can be taken now by this person: the approval is open and the one that he means, he may, and
 * nobody else is at it. @throws CountersignError in the order 404, 409 (addressed), 403, 409 (claimed)
 */
export function checkTakeable(
  approval: ApprovalState,
  decision: DecisionEnvelope,
  who: Authority,
  ask: Ask,
): void {
  checkAddressed(approval, decision, decision.receivedAt);
  checkEditable(approval, decision.decision);
  checkAuthority(approval, who, decision.decision, ask);
  const kind = decision.decision;
  if (kind === 'approve' || kind === 'edit') checkKeptHisSay(approval, who);
  if (kind === 'approve' || kind === 'edit' || kind === 'claim') {
    checkUnclaimed(approval, who, decision.receivedAt);
  }
}

/**
 * The state machine of an approval: one decision by one person, received at a time that the decision names, makes the
 * next state, or is refused. Every door and every channel comes through here; nothing else changes an approval but the
 * timers (deadline.ts), a reset and the second check before money moves (decide.ts).
 * @throws CountersignError the refusal; the approval stays as it was
 */
export function transition(
  approval: ApprovalState,
  decision: DecisionEnvelope,
  who: Authority,
  known: Known,
): ApprovalState {
  checkTakeable(approval, decision, who, known.ask);
  const next = step(approval, decision, who, known);
  switch (decision.decision) {
    case 'approve':
    case 'edit':
    case 'reject':
      return withoutQuestionOf(withoutClaimOf(next, who.id), who.id, decision.receivedAt);
    case 'delegate':
      return withoutClaimOf(next, who.id);
    default:
      return next;
  }
}

function step(
  approval: ApprovalState,
  decision: DecisionEnvelope,
  who: Authority,
  { ask, revised, askOfRevised = ask, recipient }: Known,
): ApprovalState {
  switch (decision.decision) {
    case 'approve':
      return approve(approval, decision, who);
    case 'edit':
      if (!revised) throw new CountersignError('internal', 'an edit needs the revision that it makes');
      return edit(approval, decision, who, revised, askOfRevised);
    case 'reject':
      return reject(approval, decision, who);
    case 'request_info':
      return requestInfo(approval, decision, who);
    case 'answer_info':
      return answerInfo(speakingFor(approval, decision, who), decision);
    case 'escalate':
      return escalate(approval);
    case 'delegate':
      if (!recipient) throw new CountersignError('invalid_request', 'nobody active has the name in `to`');
      return delegate(approval, decision, who, recipient);
    case 'claim':
      checkKeptHisSay(approval, who);
      return claim(approval, decision, who);
    case 'release':
      return release(approval, decision, who);
    case 'withdraw':
      return withdraw(approval, who);
    case 'comment':
      return speakingFor(approval, decision, who);
  }
}
