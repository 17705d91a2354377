import type { ApprovalState } from '../domain/approval/state';
import { CountersignError } from '../domain/errors';
import type { Ask } from '../domain/policy/authorization';
import { lastDays } from '../domain/time/days';
import type { StoredApproval } from '../ports/approvals';
import type { InboxCounts, InboxDay, InboxFilter, InboxOrder, InboxPosition } from '../ports/inbox';
import type { Principal } from '../ports/people';
import type { Unit } from '../ports/store';
import { checkMayView, viewing } from './authorize';
import type { UseCases } from './dependencies';
import { asksUnder, isPlainlyAsked, refusalOfVote } from './prospects';
import { approvalView, type ApprovalView } from './views';

/** @throws CountersignError not_found, also for another tenant's approval (R38); forbidden */
export async function showApproval(
  { store, authorization }: Pick<UseCases, 'store' | 'authorization'>,
  principal: Principal,
  approvalId: string,
): Promise<ApprovalView> {
  return store.inTenant(principal.tenant, async (unit) => {
    const stored = await unit.approvals.find(approvalId);
    if (!stored) throw new CountersignError('not_found');
    checkMayView(principal, stored, authorization.under(await unit.policies.newest()));
    const decisions = await unit.decisions.appliedTo([approvalId]);
    return approvalView(stored, decisions, Date.now(), await unit.brakes.engaged());
  });
}

/** @throws CountersignError not_found, before anything else about a decision is looked at */
export async function requireApproval(
  { store }: UseCases,
  principal: Principal,
  approvalId: string,
): Promise<void> {
  const stored = await store.inTenant(principal.tenant, (unit) => unit.approvals.find(approvalId));
  if (!stored) throw new CountersignError('not_found');
}

export interface InboxQuery {
  readonly filter: InboxFilter;
  readonly order: InboxOrder;
  readonly after: InboxPosition | undefined;
  readonly limit: number;
}

interface InboxPage {
  readonly items: ApprovalView[];
  readonly next: InboxPosition | undefined;
}

/** What this identity may see; a page can have fewer than its limit. */
export async function listApprovals(
  useCases: Pick<UseCases, 'store' | 'authorization'>,
  principal: Principal,
  query: InboxQuery,
): Promise<InboxPage> {
  return useCases.store.inTenant(principal.tenant, async (unit) => {
    const { seen, next } = await seenBy(useCases, unit, principal, query);
    return { items: await viewsOf(unit, seen), next };
  });
}

/** What this person can do with an approval of a list. */
export interface Choice {
  /** He may approve or reject it, so that it can be decided together with others. */
  readonly open: boolean;
  /** Why he can't approve it; null where he can. */
  readonly refusal: CountersignError | null;
}

/** The same list, with what stands in this person's way: by the ids of those that are open. */
export async function listChoices(
  useCases: UseCases,
  principal: Principal,
  query: InboxQuery,
): Promise<InboxPage & { readonly choices: ReadonlyMap<string, Choice> }> {
  return useCases.store.inTenant(principal.tenant, async (unit) => {
    const { seen, next } = await seenBy(useCases, unit, principal, query);
    const choices = new Map<string, Choice>();
    const askUnder = asksUnder(unit, useCases.authorization);
    for (const stored of seen.filter(({ approval: { status } }) => status === 'open')) {
      const { approval } = stored;
      const plain = isPlainlyAsked(approval, principal);
      const choice = plain ? mayBoth : choiceOf(approval, principal, await askUnder(stored));
      choices.set(approval.id, choice);
    }
    return { items: await viewsOf(unit, seen), next, choices };
  });
}

const mayBoth: Choice = { open: true, refusal: null };

function choiceOf(approval: ApprovalState, who: Principal, ask: Ask): Choice {
  const refusal = refusalOfVote(approval, who, 'approve', ask);
  return { open: refusal === null || refusalOfVote(approval, who, 'reject', ask) === null, refusal };
}

async function seenBy(
  { authorization }: Pick<UseCases, 'authorization'>,
  unit: Unit,
  principal: Principal,
  { filter, order, after, limit }: InboxQuery,
) {
  const { items, next } = await unit.inbox.list(filter, order, after, limit, Date.now());
  const ask = authorization.under(await unit.policies.newest());
  const seen = items.filter((stored) => viewing(principal, stored, ask).allowed);
  return { seen, next };
}

/** As doors show them, with what people have said and done about each. */
export async function viewsOf(unit: Unit, seen: readonly StoredApproval[]): Promise<ApprovalView[]> {
  const decisions = await unit.decisions.appliedTo(seen.map(({ approval }) => approval.id));
  const [now, brake] = [Date.now(), await unit.brakes.engaged()];
  return seen.map((stored) => {
    const own = decisions.filter(({ envelope }) => envelope.approvalId === stored.approval.id);
    return approvalView(stored, own, now, brake);
  });
}

/** How much waits, for everybody, for whoever asks, and soon; counted up to `countedTo`. */
export async function countApprovals({ store }: UseCases, principal: Principal): Promise<InboxCounts> {
  return store.inTenant(principal.tenant, ({ inbox }) => inbox.counts(principal.id, Date.now()));
}

/** So many days are told of. */
const daysTold = 14;

/** What came in and was decided on each of the last days, for everybody; a day is one of `timeZone`, an IANA name. */
export async function inboxDaily(
  { store }: UseCases,
  principal: Principal,
  timeZone: string,
): Promise<InboxDay[]> {
  const days = lastDays(daysTold, Date.now(), timeZone);
  return store.inTenant(principal.tenant, ({ inbox }) => inbox.daily(days));
}
