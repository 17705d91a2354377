import { CedarAuthorization } from '../../../src/adapters/policy/cedar';
import { applyEdit, type DecisionEnvelope } from '../../../src/domain/approval/decision';
import type { DecisionKind } from '../../../src/domain/approval/message';
import type { ApprovalState, Authority } from '../../../src/domain/approval/state';
import { checkTakeable, transition, type Known } from '../../../src/domain/approval/transition';
import { evaluatePolicy } from '../../../src/domain/policy/evaluate';
import { ofMoney } from '../../../src/domain/refund/state';
import { embeddedPolicy } from '../../../src/sandbox/embeddedTenants';

const tenant = 'acme';
const approver = { tenant, kind: 'person', groups: ['approvers'], limitMajor: '5000.00' } as const;

/** Everybody who may turn up, in every role that matters. */
export const people = {
  ann: { ...approver, id: 'ann' },
  bob: { ...approver, id: 'bob' },
  /** An approver for small amounts. */
  sam: { ...approver, id: 'sam', limitMajor: '100.00' },
  lead: { ...approver, id: 'lead', groups: ['approvers', 'finance-lead'], limitMajor: null },
  /** Of the group that escalation adds, and of no other. */
  chief: { ...approver, id: 'chief', groups: ['executives'], limitMajor: null },
  /** Asks for the refund himself, although he is an approver. */
  requester: { ...approver, id: 'requester' },
  /** The person for whom the requester asks. */
  principal: { ...approver, id: 'principal' },
  agent: { ...approver, id: 'agent', kind: 'agent' },
  service: { ...approver, id: 'service', kind: 'service' },
  admin: { ...approver, id: 'admin', groups: ['admins'] },
  foreigner: { ...approver, id: 'ann', tenant: 'globex' },
} as const satisfies Record<string, Authority>;

export type Somebody = keyof typeof people;

/** Under the embedded tenants' rules. */
export const ask = new CedarAuthorization().under(embeddedPolicy);

const openedAt = Date.UTC(2026, 10, 1);

/** Stands for the real hash, which only has to differ from revision to revision. */
export const hashOf = (revision: number): string => `hash of revision ${revision}`;

export function policyFor(minor: number, asked = true) {
  const sums = { payment: minor, customer: minor, automaticByPrincipal: minor, automaticByTenant: minor };
  return evaluatePolicy(embeddedPolicy, { minor, currency: 'USD' }, sums, asked);
}

/** An open approval of a refund in US cents. */
export function openApproval(minor: number, more: Partial<ApprovalState> = {}): ApprovalState {
  return {
    id: 'apr_1',
    tenant,
    runId: 'run_1',
    action: 'issue_refund',
    target: 'ch_1',
    revision: 1,
    proposalHash: hashOf(1),
    arguments: { amount: { minor, currency: 'USD' }, reason: 'damaged' },
    status: 'open',
    requester: 'requester',
    onBehalfOf: 'principal',
    policy: policyFor(minor),
    votes: [],
    proposals: [{ revision: 1, by: 'requester', minor }],
    openedAt,
    deadline: openedAt + 72 * 3_600_000,
    escalatedTo: [],
    ...more,
  };
}

let decisions = 0;

export function decision(
  approval: ApprovalState,
  who: Somebody,
  kind: DecisionKind,
  more: Partial<DecisionEnvelope> = {},
): DecisionEnvelope {
  decisions += 1;
  return {
    tenant: people[who].tenant,
    runId: approval.runId,
    approvalId: approval.id,
    decisionId: `dec_${decisions}`,
    decision: kind,
    proposalHash: approval.proposalHash,
    actor: people[who].id,
    receivedAt: approval.openedAt + 1,
    ...more,
  };
}

/** What one decision makes of an approval; the same checks, in the same order, as everywhere. */
export function conclude(approval: ApprovalState, who: Somebody, envelope: DecisionEnvelope): ApprovalState {
  checkTakeable(approval, envelope, people[who], ask);
  return transition(approval, envelope, people[who], { ask, ...knownFor(approval, envelope) });
}

function knownFor(approval: ApprovalState, envelope: DecisionEnvelope): Omit<Known, 'ask'> {
  if (envelope.decision === 'edit') {
    const args = applyEdit(ofMoney(approval.arguments), envelope.arguments ?? {});
    const policy = { ...policyFor(args.amount.minor), ...handlingIn(approval) };
    return { revised: { arguments: args, policy, proposalHash: hashOf(approval.revision + 1) } };
  }
  const recipient: Authority | undefined = people[envelope.to as Somebody];
  return envelope.decision === 'delegate' && recipient ? { recipient } : {};
}

/** What a test's policy says about handling stays, whatever the amount. */
function handlingIn({ policy }: ApprovalState): Partial<ApprovalState['policy']> {
  const { infoPauseHours, claimMinutes, delegateTo, escalation } = policy;
  return {
    ...(escalation === undefined ? {} : { escalation }),
    ...(infoPauseHours === undefined ? {} : { infoPauseHours }),
    ...(claimMinutes === undefined ? {} : { claimMinutes }),
    ...(delegateTo === undefined ? {} : { delegateTo }),
  };
}

export const approves = (approval: ApprovalState, who: Somebody): ApprovalState =>
  conclude(approval, who, decision(approval, who, 'approve'));

export const rejects = (approval: ApprovalState, who: Somebody): ApprovalState =>
  conclude(approval, who, decision(approval, who, 'reject'));

export const edits = (approval: ApprovalState, who: Somebody, value: string): ApprovalState =>
  conclude(
    approval,
    who,
    decision(approval, who, 'edit', { arguments: { amount: { value, currency: 'USD' } } }),
  );
