import { evidenceOf } from '../domain/approval/evidence';
import { claimAt } from '../domain/approval/handling';
import type { ApprovalState } from '../domain/approval/state';
import { isFinal } from '../domain/contract';
import { isOfMoney } from '../domain/refund/state';
import { splitState } from '../domain/refund/split';
import type { Split } from '../ports/splits';
import { shippingLine, type AdmittedLine } from '../domain/refund/lines';
import type { StoredApproval, StoredDecision } from '../ports/approvals';
import type { AuditRow } from '../ports/audit';
import { riskView } from '../domain/risk/facts';
import type { Brake } from '../ports/brakes';
import type { Run } from '../ports/runs';
import { infoRequestsOf, timelineOf } from './conversation';
import { amountView, argumentsView, iso } from './viewParts';

export { amountView, argumentsView };

/** What doors show: major units as decimal strings, times as ISO 8601 in UTC. */
export type RefundView = ReturnType<typeof refundView>;
export type ApprovalView = ReturnType<typeof approvalView>;
export type TimelineEntry = ReturnType<typeof timelineEntry>;

/** `brake`: the kill switch, where it is pulled; it holds what has not moved money and is not over. */
export function refundView(run: Run, approval?: StoredApproval, brake?: Brake) {
  return {
    runId: run.runId,
    phase: run.phase,
    action: 'issue_refund' as const,
    paymentId: run.paymentId,
    arguments: { amount: amountView(run.amount), reason: run.request.reason },
    proposed: { amount: amountView(run.request.amount), reason: run.request.reason },
    approved: run.approved && argumentsView(run.approved),
    executed: run.executed && argumentsView(run.executed),
    // A run that was reopened has no result until it ends again.
    result:
      run.result && isFinal(run.phase)
        ? {
            outcome: run.result.outcome,
            refundId: run.result.refundId ?? null,
            amount: run.result.amount ? amountView(run.result.amount) : null,
            code: run.result.code ?? null,
            detail: run.result.detail ?? null,
          }
        : null,
    requester: run.requester,
    onBehalfOf: run.onBehalfOf,
    customerId: run.customer,
    orderId: run.request.orderId ?? null,
    threadId: run.request.threadId ?? null,
    ...linesView(run.lines),
    splitId: run.splitId,
    forkedFrom: run.request.forkedFrom ?? null,
    note: run.note,
    review: run.review && {
      code: run.review.code,
      detail: run.review.detail,
      since: iso(run.review.since),
      round: run.review.round,
      tried: [...run.review.tried],
      actions: [...run.review.actions],
    },
    approval: approval
      ? {
          id: approval.approval.id,
          status: approval.approval.status,
          revision: approval.approval.revision,
          deadline: iso(approval.approval.deadline),
        }
      : null,
    brake: heldBy(brake, !isFinal(run.phase) && run.phase !== 'settling'),
    createdAt: iso(run.createdAt),
    updatedAt: iso(run.updatedAt),
    links: refundLinks(run.runId),
  };
}

function heldBy(brake: Brake | undefined, holds: boolean) {
  if (!brake || !holds) return null;
  const { scope, reason, actor, at } = brake;
  return { scope, reason, actor, at: iso(at) };
}

export type SplitView = ReturnType<typeof splitView>;

/** `refunds` in the order in which the caller named the payments; one that bears nothing has none. */
export function splitView(split: Split, runs: readonly Run[]) {
  const { splitId, amount, payments } = split;
  const refunded = runs.reduce(
    (all, { phase, executed }) => all + (phase === 'completed' ? (executed?.amount.minor ?? 0) : 0),
    0,
  );
  return {
    splitId,
    state: splitState(runs.map(({ phase }) => phase)),
    orderId: split.orderId,
    amount: amountView(amount),
    refunded: amountView({ minor: refunded, currency: amount.currency }),
    reason: split.reason,
    allocation: split.allocation,
    requester: split.requester,
    refunds: payments.flatMap(({ paymentId }) =>
      runs
        .filter((run) => run.paymentId === paymentId)
        .map((run) => ({
          runId: run.runId,
          paymentId,
          amount: amountView(run.amount),
          phase: run.phase,
          links: refundLinks(run.runId),
        })),
    ),
    createdAt: iso(split.createdAt),
    links: { self: `/v1/refunds/split/${splitId}` },
  };
}

export function refundLinks(runId: string) {
  return {
    self: `/v1/refunds/${runId}`,
    timeline: `/v1/refunds/${runId}/timeline`,
    events: `/v1/refunds/${runId}/events`,
    cancel: `/v1/refunds/${runId}/cancel`,
    review: `/v1/refunds/${runId}/review`,
  };
}

/** What is known of the payment, and of the refunds before this one. */
type ReviewerFacts = Readonly<Record<string, unknown>> & {
  readonly risk: ReturnType<typeof riskView> | null;
};

/** An approval as doors show it, with what people have said and done about it in `decisions`. `now` in ms. */
export function approvalView(
  { approval, facts: { lines = [], ...facts }, risk, candidate }: StoredApproval,
  decisions: readonly StoredDecision[],
  now: number,
  brake?: Brake,
) {
  const { policy } = approval;
  const claim = approval.status === 'open' ? claimAt(approval, now) : undefined;
  return {
    id: approval.id,
    runId: approval.runId,
    action: approval.action,
    target: approval.target,
    arguments: isOfMoney(approval.arguments) ? argumentsView(approval.arguments) : ruleView(candidate),
    // As publishApproval wrote them down; they are in the hash.
    ...linesView(lines as readonly AdmittedLine[]),
    revision: approval.revision,
    revisionReason: approval.revisionReason ?? null,
    proposalHash: approval.proposalHash,
    reason: isOfMoney(approval.arguments) ? approval.arguments.reason : null,
    requester: approval.requester,
    onBehalfOf: approval.onBehalfOf ?? null,
    policy: {
      version: policy.policyVersion,
      ruleIds: [...policy.ruleIds],
      explanation: policy.explanation,
      aggregate: policy.aggregate ? amountView(policy.aggregate) : null,
      approverGroup: policy.approverGroup,
      oneFrom: policy.oneFrom ?? null,
      escalatedTo: [...approval.escalatedTo],
    },
    votes: approval.votes.map((v) => ({
      actor: v.actor,
      decisionId: v.decisionId,
      at: iso(v.at),
      onAuthorityOf: v.onAuthorityOf ?? null,
    })),
    needed: policy.needed,
    claim: claim ? { by: claim.by, at: iso(claim.at), until: iso(claim.until) } : null,
    delegations: (approval.delegations ?? []).map(({ from, to, at }) => ({ from, to, at: iso(at) })),
    infoRequests: infoRequestsOf(approval, decisions),
    openedAt: iso(approval.openedAt),
    deadline: iso(approval.deadline),
    clock: clockView(approval),
    evidence: evidenceOf(facts),
    facts: { ...facts, risk: approval.risk ? riskView(approval.risk) : null } as ReviewerFacts,
    risk: [...risk],
    brake: heldBy(brake, approval.status === 'open' && isOfMoney(approval.arguments)),
    timeline: decisions.map(timelineOf),
    status: approval.status,
    decidedBy: approval.decidedBy
      ? {
          actor: approval.decidedBy.actor,
          decision: approval.decidedBy.decision,
          at: iso(approval.decidedBy.at),
          reasonCode: approval.decidedBy.reasonCode ?? null,
        }
      : null,
  };
}

/** What would be remembered, as long as it waits; nothing of it where it is gone. */
function ruleView(candidate: StoredApproval['candidate']) {
  const { owner = null, key = null, value = null, source = null, confidence = null } = candidate ?? {};
  const expiresAt = candidate?.expiresAt ?? null;
  return {
    kind: 'procedural' as const,
    ...{ owner, key, value, source, confidence },
    expiresAt: expiresAt === null ? null : iso(expiresAt),
  };
}

/** What has moved the deadline, or may still. */
function clockView({ pause, grace, status }: ApprovalState) {
  return {
    pausedSince: status === 'open' && pause?.since !== undefined ? iso(pause.since) : null,
    extendedFrom: grace ? iso(grace.before) : null,
  };
}

export function timelineEntry(row: AuditRow) {
  return {
    seq: row.seq,
    at: iso(row.at),
    actor: row.actor,
    onBehalfOf: row.onBehalfOf ?? null,
    event: row.event,
    before: row.before ?? null,
    after: row.after ?? null,
    reason: row.reason ?? null,
    policyVersion: row.policyVersion ?? null,
    effectKey: row.effectKey ?? null,
    providerId: row.providerId ?? null,
    hash: row.hash,
  };
}

/** What a refund gives back of an order. An edit lowers the amount, and leaves the lines and their shares. */
export function linesView(lines: readonly AdmittedLine[]) {
  const shipping = lines.find(({ lineId }) => lineId === shippingLine);
  return {
    lines: lines
      .filter((line) => line !== shipping)
      .map(({ lineId, quantity, of, amount }) => ({
        lineId,
        quantity,
        of: { quantity: of.quantity, amount: amountView(of.amount) },
        amount: amountView(amount),
      })),
    shipping: shipping ? { of: amountView(shipping.of.amount), amount: amountView(shipping.amount) } : null,
  };
}
