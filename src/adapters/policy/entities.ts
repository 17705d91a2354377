import type { CedarValueJson, EntityJson, TypeAndId } from './engine';
import { normalIdentity } from '../../domain/access/identity';
import { amountOf, type ApprovalState, type Authority } from '../../domain/approval/state';
import { policyEditor } from '../../domain/approval/authority';
import { isDelegate } from '../../domain/approval/delegation';
import type { CandidateFacts, MemoryAsker, MemoryFacts } from '../../domain/memory/facts';
import type { Question, RefundFacts, Setting } from '../../domain/policy/authorization';
import type { PolicyDocument } from '../../domain/policy/document';
import { ofMoney } from '../../domain/refund/state';
import type { RiskFacts } from '../../domain/risk/facts';
import { floorToMinor } from '../../domain/policy/threshold';

const kinds = { person: 'Person', service: 'Service', agent: 'Agent', workflow: 'Workflow' } as const;

const reference = (type: string, id: string): { __entity: TypeAndId } => ({ __entity: { type, id } });
/** However an id is spelled, it is compared as one. */
const spelled = (id: string): string => normalIdentity(id) ?? id;
const group = (name: string) => reference('Group', name);

/** One question as Cedar takes it: principal and resource with all their attributes, and nothing else. */
export function entitiesOf(
  question: Question,
  { reviewGroup }: PolicyDocument,
): { principal: EntityJson; resource: EntityJson; tenant: string } {
  if ('candidate' in question || 'memory' in question) {
    const { who } = question;
    const resource =
      'candidate' in question ? candidateEntity(question.candidate, who) : memoryEntity(question.memory, who);
    const about = 'candidate' in question ? question.candidate : question.memory;
    return { principal: principalOf(who), resource, tenant: about.tenant };
  }
  const { who } = question;
  if ('approval' in question) {
    const { approval } = question;
    const principal = principalOf(who, amountOf(approval).currency);
    return { principal, resource: approvalEntity(approval, who), tenant: approval.tenant };
  }
  if ('refund' in question) {
    const { refund } = question;
    const principal = principalOf(who, refund.amount.currency);
    return { principal, resource: refundEntity(refund, reviewGroup), tenant: refund.tenant };
  }
  return {
    principal: principalOf(who),
    resource: settingEntity(question.setting, who.tenant),
    tenant: who.tenant,
  };
}

/** A limit is read in the major units of whatever currency the refund has; without one, none is said. */
function principalOf(who: Authority | MemoryAsker, currency?: string): EntityJson {
  const { tenant, id, kind, groups } = who;
  const limitMajor = 'limitMajor' in who ? who.limitMajor : null;
  const limited = kind === 'person' && limitMajor !== null && currency !== undefined;
  return {
    uid: { type: kinds[kind], id: spelled(id) },
    attrs: {
      id: spelled(id),
      tenant: reference('Tenant', tenant),
      ...(limited ? { limit: floorToMinor(limitMajor, currency) } : {}),
    },
    parents: groups.map((name) => ({ type: 'Group', id: name })),
  };
}

function approvalEntity(approval: ApprovalState, who: Authority): EntityJson {
  const { policy, proposals, requester, escalatedTo } = approval;
  const { amount, reason } = ofMoney(approval.arguments);
  const { approverGroup, oneFrom } = policy;
  const asked = [approverGroup, ...(oneFrom === undefined ? [] : [oneFrom]), ...escalatedTo];
  const editors = proposals.map((p) => p.by).filter((by) => by !== requester && by !== policyEditor);
  return entity('Approval', approval.id, {
    tenant: reference('Tenant', approval.tenant),
    requester: spelled(requester),
    ...(approval.onBehalfOf === undefined ? {} : { onBehalfOf: spelled(approval.onBehalfOf) }),
    amount: amount.minor,
    aggregate: (policy.aggregate ?? amount).minor,
    currency: amount.currency,
    reason,
    revision: approval.revision,
    needed: policy.needed,
    leadRequired: oneFrom !== undefined,
    asked: [...new Set(asked)].map(group),
    escalated: escalatedTo.length > 0,
    delegates: delegatesOf(approval, who),
    editors: [...new Set(editors.map(spelled))],
    voters: approval.votes.map((v) => spelled(v.actor)),
    ...riskOf(approval),
  });
}

/** Of the others' groups nothing is known here, and nothing is asked. */
function delegatesOf(approval: ApprovalState, who: Authority): string[] {
  const named = new Set((approval.delegations ?? []).map((d) => d.to));
  return [...named].filter((to) => to !== who.id || isDelegate(approval, who)).map(spelled);
}

function refundEntity(refund: RefundFacts, reviewGroup: string): EntityJson {
  return entity('Refund', 'refund', {
    tenant: reference('Tenant', refund.tenant),
    requester: spelled(refund.requester),
    ...(refund.onBehalfOf === null ? {} : { onBehalfOf: spelled(refund.onBehalfOf) }),
    amount: refund.amount.minor,
    currency: refund.amount.currency,
    reason: refund.request.reason,
    reviewers: group(reviewGroup),
    ...riskOf(refund),
  });
}

function riskOf({ risk }: { readonly risk?: RiskFacts }): { risk?: CedarValueJson } {
  if (risk === undefined) return {};
  const { payment, customer, toOtherMethod } = risk;
  return {
    risk: {
      paymentRefunds: payment.refunds,
      paymentRefunded: payment.refunded,
      paymentRejections: payment.rejections,
      paymentAgeHours: payment.ageHours,
      disputed: payment.disputed,
      ...(customer === undefined ? {} : { customer: { ...customer } }),
      ...(toOtherMethod === undefined ? {} : { toOtherMethod }),
    },
  };
}

/** Owners are compared as they are written (R46): two spellings are two owners. */
function memoryAttributes(facts: MemoryFacts, who: MemoryAsker): Record<string, CedarValueJson> {
  const { tenant, owner, kind, source, key, personal } = facts;
  return { tenant: reference('Tenant', tenant), owner, own: owner === who.id, kind, source, key, personal };
}

function candidateEntity(candidate: CandidateFacts, who: MemoryAsker): EntityJson {
  const { asked, confidence, evidence, proposer } = candidate;
  return entity('Candidate', 'candidate', {
    ...memoryAttributes(candidate, who),
    asked,
    confidence: Math.round(confidence * 100),
    evidence: [...new Set(evidence)],
    proposer: spelled(proposer),
  });
}

function memoryEntity(memory: MemoryFacts, who: MemoryAsker): EntityJson {
  return entity('Memory', 'memory', memoryAttributes(memory, who));
}

function settingEntity(setting: Setting, tenant: string): EntityJson {
  return entity('Setting', setting, { tenant: reference('Tenant', tenant) });
}

function entity(type: string, id: string, attrs: Record<string, CedarValueJson>): EntityJson {
  return { uid: { type, id }, attrs, parents: [] };
}
