import { isSameIdentity } from '../access/identity';
import { isAdministrator } from '../access/separation';
import { asks } from '../approval/standing';
import type { ApprovalState } from '../approval/state';
import { CountersignError } from '../errors';
import { groups } from '../people';
import type { Ask, Question, Verdict } from '../policy/authorization';
import type { Policy } from '../policy/document';
import { handlingOf, type PolicyDecision } from '../policy/evaluate';
import { memoryAction, type ProposalInput } from '../refund/state';
import type { CandidateFacts } from './facts';
import type { CandidateStatus } from './review';

/** A candidate as far as it matters who decides on it. */
export interface ProposedRule {
  readonly owner: string;
  readonly kind: CandidateFacts['kind'];
  readonly key: string;
  readonly source: CandidateFacts['source'];
  readonly personal: boolean;
  readonly confidence: number;
  readonly evidence: readonly { readonly kind: string; readonly ref: string }[];
  readonly proposedBy: string;
  /** The human behind a service or agent. */
  readonly proposedFor: string | null;
}

/**
 * A newer proposal has taken its place, or its source was revoked, and the approval has not heard of that yet.
 * @throws CountersignError already_decided
 */
export function checkStillProposed(candidate: { readonly status: CandidateStatus } | undefined): void {
  if (candidate === undefined || candidate.status === 'waiting') return;
  const { status } = candidate;
  throw new CountersignError('already_decided', `what was proposed is ${status} already`, { status });
}

/** What its workflow begins with: ids and words of ours, nothing that somebody wrote. */
export function inputOfRule(
  tenant: string,
  { id, proposedBy }: Pick<ProposedRule, 'proposedBy'> & { readonly id: string },
): ProposalInput {
  return { tenant, runId: id, paymentId: id, requester: proposedBy, arguments: { kind: 'procedural' } };
}

/** `refused`: approved, and the gate let it through no more. */
export interface MemoryProposalResult {
  readonly candidateId: string;
  readonly outcome: 'adopted' | 'refused' | 'rejected' | 'expired' | 'cancelled';
}

/** What policy is told of a candidate that waits for a person: everything but what it says. */
export function factsOfWaiting(tenant: string, candidate: ProposedRule): CandidateFacts {
  const { owner, kind, key, source, personal, confidence, evidence, proposedBy: proposer } = candidate;
  const kinds = evidence.map((item) => item.kind);
  return { tenant, owner, kind, key, source, personal, confidence, asked: false, proposer, evidence: kinds };
}

/** What whoever decides sees beside the rule itself. */
export function factsOfRule({ evidence }: Pick<ProposedRule, 'evidence'>): Record<string, unknown> {
  return { evidence: evidence.map(({ kind, ref }) => ({ label: `${kind} ${ref}` })) };
}

/**
 * Who decides on a rule of procedure, and by when: one administrator, within what is left of the time that every candidate
 * has. `leftMs`: of one that was proposed long before people could be asked, less than all of it.
 */
export function policyForRule(
  { version, document }: Pick<Policy, 'version' | 'document'>,
  ruleIds: readonly string[],
  leftMs: number,
): PolicyDecision {
  const { delegateTo: _nobodyElse, ...handling } = handlingOf(document);
  return {
    decision: 'approval',
    needed: 1,
    approverGroup: groups.admins,
    ruleIds,
    policyVersion: version,
    explanation: 'One administrator must agree: a rule of procedure is never remembered without one.',
    remindersHours: document.remindersHours,
    expiryHours: leftMs / 3_600_000,
    ...handling,
  };
}

/**
 * Who may do what about this approval. About a rule of procedure the tenant's policy is asked whether he reviews such
 * memory; that only administrators do, and none what he proposed, what was proposed for him or what would be remembered
 * of him, no policy can permit away. Whoever proposed it sees it and answers questions. Once the candidate is gone,
 * nobody does anything.
 */
export function askAbout(
  { approval, candidate }: { readonly approval: ApprovalState; readonly candidate?: ProposedRule },
  ask: Ask,
): Ask {
  if (approval.action !== memoryAction) return ask;
  return (question) => {
    if (!('approval' in question)) return ask(question);
    const { who, action } = question;
    if (asks(approval, who) && (action === 'view' || action === 'answer_info'))
      return { allowed: true, ruleIds: [] };
    if (!candidate || !isAdministrator(who)) return { allowed: false, because: 'no_rule' };
    return action === 'view' || !isConcerned(candidate, who)
      ? ask({ who, action: 'review_memory', candidate: factsOfWaiting(approval.tenant, candidate) })
      : hisOwn;
  };
}

function isConcerned({ owner, proposedFor }: ProposedRule, { id }: Question['who']): boolean {
  return [owner, proposedFor].some((one) => isSameIdentity(id, one));
}

const hisOwn: Verdict = {
  allowed: false,
  because: 'forbidden',
  ruleIds: [],
  code: 'separation_of_duties',
  says: 'nobody decides on what was proposed for him, or what would be remembered of him; another administrator must',
};
