import { holdsScope } from '../domain/access/scopes';
import { isAdministrator } from '../domain/access/separation';
import { approvalIdOf } from '../domain/contract';
import { CountersignError } from '../domain/errors';
import { parseScope } from '../domain/memory/candidate';
import type { Evidence } from '../domain/memory/evidence';
import type { GatePolicy } from '../domain/memory/gate';
import { factsOfWaiting } from '../domain/memory/proposal';
import {
  checkReviewable,
  type Hold,
  type HoldWords,
  type ReviewDecision,
  type SourceHold,
} from '../domain/memory/review';
import { refuseUnlessPermitted } from '../domain/policy/authorization';
import type { MemoryDecision } from '../ports/memory';
import type {
  HeldSource,
  MemoryHold,
  QueuePage,
  ReviewedCandidate,
  SourceHoldReport,
} from '../ports/memoryReviews';
import type { Principal } from '../ports/people';
import type { Unit } from '../ports/store';
import { administer, auditChange, readAsAdministrator } from './admin/administer';
import type { UseCases } from './dependencies';
import { refuseSensitive } from './freeText';

type Needs = Pick<UseCases, 'store' | 'authorization'>;
type Position = { readonly at: string; readonly id: string };
interface Page<Item> {
  readonly items: Item[];
  readonly next: Position | null;
}

/** Candidates that wait for a person, oldest first. @throws CountersignError forbidden */
export function listCandidates(
  needs: Needs,
  principal: Principal,
  page: QueuePage,
): Promise<Page<ReviewedCandidate>> {
  return readAsAdministrator(needs, principal, ({ memoryReviews }) => memoryReviews.queue(page));
}

/**
 * For administrators; and for whoever proposed it, without what others wrote about it.
 * @throws CountersignError not_found, to everybody else
 */
export async function showCandidate(
  needs: Needs,
  principal: Principal,
  id: string,
): Promise<ReviewedCandidate> {
  if (isAdministrator(principal) && holdsScope(principal.key.scopes, ['admin']))
    return readAsAdministrator(needs, principal, (unit) => candidateOr404(unit, id));
  const found = await needs.store.inTenant(principal.tenant, (unit) => candidateOr404(unit, id));
  if (found.proposedBy !== principal.id) throw new CountersignError('not_found');
  return { ...found, comment: null };
}

export interface Reviewed {
  readonly candidate: ReviewedCandidate;
  /** Of the gate about what was approved; null for a rejection. Not allowed where something stands against it by now. */
  readonly decision: MemoryDecision | null;
}

/**
 * One administrator's decision on exactly the candidate that he read, in one transaction with what comes of it and its
 * audit row, which holds no text. A rule of procedure is an approval, and not decided on here.
 * @throws CountersignError forbidden, not_found, sensitive_text, memory_approval, separation_of_duties, already_decided,
 * approval_expired, decision_stale
 */
export async function reviewCandidate(
  needs: Needs,
  principal: Principal,
  id: string,
  { decision: kind, proposalHash, comment }: ReviewDecision,
): Promise<Reviewed> {
  refuseSensitive('comment', comment);
  return administer(needs, principal, 'decide on a memory candidate', async (unit, actor) => {
    const before = await candidateOr404(unit, id);
    const policy = await policyOf(needs, unit);
    const who = { ...actor, tenant: principal.tenant };
    const candidate = factsOfWaiting(principal.tenant, before);
    refuseUnlessPermitted(
      policy.ask({ who, action: 'review_memory', candidate }),
      'no rule lets this identity decide on that',
    );
    if (before.kind === 'procedural')
      throw new CountersignError('memory_approval', undefined, { approvalId: approvalIdOf(id) });
    checkReviewable(before, actor, proposalHash, Date.now());
    const { memoryReviews } = unit;
    const reviewer = {
      tenant: principal.tenant,
      id: actor.id,
      kind: 'person',
      groups: actor.groups,
    } as const;
    let decision: MemoryDecision | null = null;
    if (kind === 'approve') decision = await memoryReviews.approve(before, reviewer, policy, comment);
    else await memoryReviews.close(before, 'rejected', actor.id, comment);
    const after = await candidateOr404(unit, id);
    await auditChange(unit, principal, {
      event: after.status === 'approved' ? 'memory_candidate_approved' : 'memory_candidate_rejected',
      before: { candidateId: id, status: before.status },
      after: {
        candidateId: id,
        status: after.status,
        memoryId: after.memoryId,
        decisionId: decision?.decisionId ?? null,
      },
    });
    return { candidate: after, decision };
  });
}

/** Memories that are held, oldest first. @throws CountersignError forbidden */
export function listHolds(
  needs: Needs,
  principal: Principal,
  page: { readonly limit: number; readonly after?: Position; readonly owner?: string },
): Promise<Page<MemoryHold>> {
  return readAsAdministrator(needs, principal, ({ memoryReviews }) => memoryReviews.holds(page));
}

/**
 * From now on it is not believed, on any path, until it is released. The same again changes nothing.
 * @throws CountersignError forbidden, not_found, sensitive_text, memory_scope_invalid
 */
export async function quarantineMemory(
  needs: Needs,
  principal: Principal,
  owner: string,
  id: string,
  words: HoldWords,
): Promise<MemoryHold> {
  const scope = parseScope({ tenant: principal.tenant, owner });
  refuseSensitive('comment', words.comment);
  return administer(needs, principal, 'quarantine a memory', async (unit, actor) => {
    await checkManages(needs, unit, principal);
    const hold = await unit.memoryReviews.quarantine(scope, id, words, actor);
    if (!hold) throw new CountersignError('not_found');
    await auditChange(unit, principal, {
      event: 'memory_quarantined',
      after: { holdId: hold.id, memoryId: id },
      reason: words.reason,
    });
    return hold;
  });
}

/** @throws CountersignError forbidden, not_found where it is in no quarantine of its own, memory_scope_invalid */
export async function releaseMemory(
  needs: Needs,
  principal: Principal,
  owner: string,
  id: string,
): Promise<void> {
  const scope = parseScope({ tenant: principal.tenant, owner });
  return administer(needs, principal, 'release a memory', async (unit, actor) => {
    await checkManages(needs, unit, principal);
    if (!(await unit.memoryReviews.release(scope, id, actor))) throw new CountersignError('not_found');
    await auditChange(unit, principal, { event: 'memory_released', after: { memoryId: id } });
  });
}

/** @throws CountersignError forbidden */
export function listHeldSources(needs: Needs, principal: Principal): Promise<HeldSource[]> {
  return readAsAdministrator(needs, principal, ({ memoryReviews }) => memoryReviews.sources());
}

/**
 * Everything that was learnt from a source, of all owners, is believed no more: for now (`quarantine`), or for good
 * (`revocation`). Nothing is learnt from it meanwhile. @throws CountersignError forbidden, sensitive_text
 */
export async function holdSource(
  needs: Needs,
  principal: Principal,
  hold: Hold,
  body: SourceHold,
): Promise<SourceHoldReport> {
  refuseSensitive('comment', body.comment);
  refuseSensitive('source.ref', body.source.ref);
  return administer(needs, principal, `${hold} of a memory source`, async (unit, actor) => {
    await checkManages(needs, unit, principal);
    const report = await unit.memoryReviews.holdSource(hold, body, actor);
    const { id: sourceId, versions, owners, live, candidates } = report;
    await auditChange(unit, principal, {
      event: hold === 'quarantine' ? 'memory_source_quarantined' : 'memory_source_revoked',
      after: { sourceId, kind: body.source.kind, versions, owners, live, candidates },
      reason: body.reason,
    });
    return report;
  });
}

/** @throws CountersignError forbidden, not_found where it isn't held */
export function releaseSource(
  needs: Needs,
  principal: Principal,
  source: Evidence,
): Promise<{ readonly id: string; readonly released: number }> {
  return administer(needs, principal, 'release a memory source', async (unit, actor) => {
    await checkManages(needs, unit, principal);
    const ended = await unit.memoryReviews.releaseSource(source, actor);
    if (!ended) throw new CountersignError('not_found');
    const { id: sourceId, released } = ended;
    await auditChange(unit, principal, { event: 'memory_source_released', after: { sourceId, released } });
    return ended;
  });
}

async function checkManages(needs: Needs, unit: Unit, principal: Principal): Promise<void> {
  const { ask } = await policyOf(needs, unit);
  refuseUnlessPermitted(
    ask({ who: principal, action: 'manage', setting: 'memory' }),
    'no rule lets this identity manage memory',
  );
}

async function policyOf({ authorization }: Needs, { policies }: Unit): Promise<GatePolicy> {
  const newest = await policies.newest();
  return { version: newest.version, ask: authorization.under(newest) };
}

async function candidateOr404({ memoryReviews }: Unit, id: string): Promise<ReviewedCandidate> {
  const found = await memoryReviews.candidate(id);
  if (!found) throw new CountersignError('not_found');
  return found;
}
