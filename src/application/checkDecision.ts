import { createHash, randomUUID } from 'node:crypto';
import { checkAuthority } from '../domain/approval/authority';
import type { DecisionBody, DecisionEnvelope } from '../domain/approval/decision';
import { checkRecipient } from '../domain/approval/delegation';
import { checkEvidence } from '../domain/approval/evidence';
import { timesWithdrawn } from '../domain/approval/handling';
import { isSpoken } from '../domain/approval/message';
import type { ApprovalState, Authority } from '../domain/approval/state';
import { CountersignError } from '../domain/errors';
import { askAbout } from '../domain/memory/proposal';
import type { Principal } from '../ports/people';
import type { StoredApproval, StoredDecision } from '../ports/approvals';
import type { Unit } from '../ports/store';
import type { UseCases } from './dependencies';
import { checkEdit } from './checkEdit';
import { refuseSensitiveDecision } from './freeText';
import { humanIn } from './onBehalfOf';

/**
 * Everything that a door can refuse about a decision before it is recorded, and the envelope that then is: who, what
 * exactly, received when (ms). @throws CountersignError in the order 404, 422, 403
 */
export async function checkDecision(
  useCases: Pick<UseCases, 'store' | 'authorization'>,
  principal: Principal,
  approvalId: string,
  body: DecisionBody,
  receivedAt = Date.now(),
): Promise<{ approval: ApprovalState; envelope: DecisionEnvelope }> {
  refuseSensitiveDecision(body);
  const { tenant } = principal;
  const { refused, ...checked } = await useCases.store.inTenant(tenant, async (unit) => {
    const stored = await unit.approvals.find(approvalId);
    if (!stored) throw new CountersignError('not_found');
    const spoken = await humanIn(unit, body.onBehalfOf);
    checkEvidence(stored.facts, body.evidenceSeen);
    if (body.decision === 'edit') await checkEdit(unit, stored.approval, body);
    const recipient = await recipientOf(unit, body);
    const { approval } = stored;
    return {
      approval,
      envelope: await underFreeId(
        unit,
        envelopeOf(approval, principal, { ...body, ...spoken }, receivedAt),
        body,
      ),
      refused: await refuseUnauthorized(unit, useCases, stored, principal, body, recipient),
    };
  });
  if (refused) throw refused;
  return checked;
}

/** Without an id of its own, what was refused earlier is tried anew: what stood in its way may be gone. */
async function underFreeId(
  unit: Unit,
  envelope: DecisionEnvelope,
  { decisionId: named }: DecisionBody,
): Promise<DecisionEnvelope> {
  if (named !== undefined) return envelope;
  const before = await unit.decisions.find(envelope.approvalId, envelope.decisionId);
  if (!before) return envelope;
  // Whoever takes the id that somebody else's decision would get keeps nobody from deciding.
  const another = before.envelope.actor !== envelope.actor;
  const free = before.status === 'refused' || another || (await isTakenBack(unit, before));
  return free ? { ...envelope, decisionId: randomId() } : envelope;
}

/** By a withdrawal that no worker has applied yet. */
async function isTakenBack(unit: Unit, { envelope }: StoredDecision): Promise<boolean> {
  const waiting = await unit.decisions.unanswered(envelope.approvalId);
  return waiting.some(
    ({ envelope: later }) =>
      later.decision === 'withdraw' &&
      later.actor === envelope.actor &&
      later.receivedAt >= envelope.receivedAt,
  );
}

function randomId(): string {
  return `dec_${randomUUID()}`;
}

function envelopeOf(
  approval: ApprovalState,
  principal: Principal,
  body: DecisionBody,
  receivedAt: number,
): DecisionEnvelope {
  const { comment, decisionId, ...named } = body;
  const commentHash = comment !== undefined && isSpoken(body.decision) ? sha256(comment) : undefined;
  // Only what names the revision in force was looked at under its policy; anything else is refused as stale.
  const { revision, policy } = approval;
  const current = body.proposalHash === approval.proposalHash;
  return {
    tenant: principal.tenant,
    runId: approval.runId,
    approvalId: approval.id,
    decisionId: decisionId ?? derivedId(approval, principal, body, commentHash),
    ...(current ? { revision, policyVersion: policy.policyVersion } : {}),
    ...named,
    ...(commentHash === undefined ? {} : { commentHash }),
    actor: principal.id,
    receivedAt,
  };
}

async function recipientOf(unit: Unit, { to }: DecisionBody): Promise<Authority | undefined> {
  if (to === undefined) return undefined;
  const recipient = await unit.people.find(to);
  if (recipient) return recipient;
  throw new CountersignError('invalid_request', 'nobody active has that name', {
    issues: [{ path: 'to', message: 'nobody active has that name' }],
  });
}

/** A refused attempt is on the audit log, and uses no decision id up. */
async function refuseUnauthorized(
  unit: Unit,
  { authorization }: Pick<UseCases, 'authorization'>,
  stored: StoredApproval,
  principal: Principal,
  body: DecisionBody,
  recipient: Authority | undefined,
): Promise<CountersignError | undefined> {
  const { approval } = stored;
  try {
    const published = await unit.policies.published(approval.policy.policyVersion);
    const ask = askAbout(stored, authorization.under(published));
    checkAuthority(approval, principal, body.decision, ask);
    if (recipient) checkRecipient(approval, principal, recipient);
    return undefined;
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    await auditRefusal(unit, approval, principal.id, error);
    return error;
  }
}

export async function auditRefusal(
  unit: Unit,
  approval: ApprovalState,
  actor: string,
  error: CountersignError,
): Promise<void> {
  await unit.audit.append({
    runId: approval.runId,
    actor,
    event: 'decision_refused',
    step: `decision_refused:${randomUUID()}`,
    after: { revision: approval.revision, status: approval.status },
    reason: error.code,
    policyVersion: approval.policy.policyVersion,
  });
}

/**
 * One click twice is one decision, and so is the same sentence said twice. What somebody says again after he took it back
 * is another one; a claim is renewed by every claim.
 */
function derivedId(
  approval: ApprovalState,
  principal: Principal,
  body: DecisionBody,
  commentHash: string | undefined,
): string {
  if (body.decision === 'claim' || body.decision === 'release') return randomId();
  const content = [approval.id, body.proposalHash, principal.id, body.decision, body.arguments ?? null];
  const more = [
    body.to ?? null,
    body.questionId ?? null,
    body.reasonCode ?? null,
    commentHash ?? null,
    turnOf(approval, principal, body),
    ...(body.onBehalfOf === undefined ? [] : [body.onBehalfOf]),
  ];
  const differs = more.some((part) => part !== null && part !== 0);
  return `dec_${sha256(JSON.stringify(differs ? [...content, ...more] : content)).slice(0, 32)}`;
}

/** The withdrawal itself belongs to the turn that it ends, so that it can be sent twice too. */
function turnOf(approval: ApprovalState, { id }: Principal, { decision }: DecisionBody): number {
  const turn = timesWithdrawn(approval, id);
  const has =
    approval.votes.some((v) => v.actor === id && v.revision === approval.revision) ||
    (approval.delegations ?? []).some((d) => d.from === id);
  return decision === 'withdraw' && turn > 0 && !has ? turn - 1 : turn;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
