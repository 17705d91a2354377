import { checkRecipient, isDelegate } from '../domain/approval/delegation';
import { decisionKinds, type DecisionKind } from '../domain/approval/message';
import { isAsked } from '../domain/approval/standing';
import type { ApprovalState, Authority } from '../domain/approval/state';
import { CountersignError } from '../domain/errors';
import { askAbout } from '../domain/memory/proposal';
import { isOfMoney } from '../domain/refund/state';
import type { Principal } from '../ports/people';
import type { Run } from '../ports/runs';
import type { Unit } from '../ports/store';
import { checkMayView } from './authorize';
import type { UseCases } from './dependencies';
import { hasVoted, refusalIn, refusalOf, wouldComplete } from './prospects';
import { amountView, approvalView, argumentsView, refundView, timelineEntry } from './views';

/** Related refunds, and people to hand a say over to, that are looked at; more than that nobody reads. */
const mostRelated = 10;
const mostPeople = 200;

export type ApprovalReview = Awaited<ReturnType<typeof reviewApproval>>;

/**
 * One approval with everything that somebody needs to decide about it, read in one transaction: how it came to be, what
 * else was refunded, what this person may do, and what his vote would bring about.
 * @throws CountersignError not_found, also for another tenant's approval (R38); forbidden
 */
export async function reviewApproval(
  { store, authorization }: UseCases,
  principal: Principal,
  approvalId: string,
) {
  return store.inTenant(principal.tenant, async (unit) => {
    const stored = await unit.approvals.find(approvalId);
    if (!stored) throw new CountersignError('not_found');
    const { approval } = stored;
    const askNewest = authorization.under(await unit.policies.newest());
    checkMayView(principal, stored, askNewest);
    const published = await unit.policies.published(approval.policy.policyVersion);
    const ask = askAbout(stored, authorization.under(published));
    const run = await unit.runs.find(approval.runId);
    const brake = await unit.brakes.engaged();
    const people = (await unit.directory.people({ limit: mostPeople, active: true })).items;
    return {
      approval: approvalView(stored, await unit.decisions.appliedTo([approvalId]), Date.now(), brake),
      run: run ? refundView(run, stored, brake) : null,
      revisions: (await unit.approvals.revisions(approvalId)).flatMap(
        ({ revision, proposedBy, arguments: args }) =>
          isOfMoney(args) ? [{ revision, proposedBy, arguments: argumentsView(args) }] : [],
      ),
      events: (await unit.audit.ofRun(approval.runId)).map(timelineEntry),
      related: (await relatedTo(unit, run, approval)).filter(
        (other) => askNewest({ who: principal, action: 'view', refund: other.run }).allowed,
      ),
      /** Why not, where this person may not; null where he may. */
      refusals: Object.fromEntries(
        decisionKinds.map((kind) => [kind, refusalOf(approval, principal, kind, ask)?.detail ?? null]),
      ) as Record<DecisionKind, string | null>,
      /** Whether a yes of this person would be the last that is needed. */
      completes: wouldComplete(approval, principal),
      voted: hasVoted(approval, principal),
      /** The group that one of the voters must be of, while none is. */
      stillFrom: groupStillMissing(approval),
      voters: people
        .filter((person) => person.id !== principal.id && !hasVoted(approval, person))
        .filter((person) => isAsked(approval, person) || isDelegate(approval, person))
        .filter((person) => refusalOf(approval, person, 'approve', ask) === null)
        .map(({ id, displayName }) => ({ id, displayName })),
      recipients: people
        .filter((person) => mayBeHandedTo(approval, principal, person))
        .map(({ id, displayName }) => ({ id, displayName })),
      /** The most that an edit can ask for; null where there is no amount. */
      most: await mostOf(unit, approval),
    };
  });
}

async function mostOf(unit: Unit, { arguments: args, target }: ApprovalState) {
  if (!isOfMoney(args)) return null;
  const balance = await unit.ledger.find(target);
  const { minor, currency } = args.amount;
  return amountView({ minor: (balance?.remaining ?? 0) + minor, currency });
}

async function relatedTo(unit: Unit, run: Run | undefined, approval: ApprovalState) {
  if (!isOfMoney(approval.arguments)) return [];
  const samePayment = await unit.runs.list({ paymentId: approval.target, limit: mostRelated + 1 });
  const customer = run?.customer;
  const sameCustomer =
    customer === null || customer === undefined
      ? []
      : (await unit.runs.list({ customer, limit: mostRelated + 1 })).items;
  const seen = new Set([approval.runId]);
  const all = [
    ...samePayment.items.map((other) => ({ run: other, same: 'payment' as const })),
    ...sameCustomer.map((other) => ({ run: other, same: 'customer' as const })),
  ].filter(({ run: { runId } }) => !seen.has(runId) && seen.add(runId));
  return Promise.all(
    all.slice(0, mostRelated).map(async ({ run: other, same }) => ({
      run: other,
      same,
      view: refundView(other),
      approvalId: (await unit.approvals.ofRun(other.runId))?.approval.id ?? null,
    })),
  );
}

function groupStillMissing({ policy: { oneFrom }, votes, revision }: ApprovalState): string | null {
  if (oneFrom === undefined) return null;
  return votes.some((vote) => vote.revision === revision && vote.groups.includes(oneFrom)) ? null : oneFrom;
}

function mayBeHandedTo(approval: ApprovalState, from: Authority, to: Authority): boolean {
  return refusalIn(() => checkRecipient(approval, from, to)) === null;
}
