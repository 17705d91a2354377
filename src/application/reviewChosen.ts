import { checkAddressed } from '../domain/approval/addressed';
import type { TogetherKind } from '../domain/approval/manyDecisions';
import type { ApprovalState } from '../domain/approval/state';
import { CountersignError } from '../domain/errors';
import type { Money } from '../domain/money/money';
import { spreadOf } from '../domain/money/spread';
import type { Ask } from '../domain/policy/authorization';
import { isOfMoney } from '../domain/refund/state';
import type { StoredApproval } from '../ports/approvals';
import type { Principal } from '../ports/people';
import type { Unit } from '../ports/store';
import { checkMayView } from './authorize';
import type { UseCases } from './dependencies';
import { asksUnder, refusalIn, refusalOfVote, wouldComplete } from './prospects';
import { viewsOf } from './readInbox';
import { amountView } from './views';

/** An approval as it was chosen: the revision that was on the screen. */
export interface Chosen {
  readonly approvalId: string;
  readonly proposalHash: string;
}

export type ChosenReview = Awaited<ReturnType<typeof reviewChosen>>;
export type ChosenItem = ChosenReview['items'][number];

/**
 * What one decision about many approvals would be about, read in one transaction, before anybody is asked whether he is
 * sure. What would be refused, or has changed since it was chosen, is named with why and counts in no total.
 */
export async function reviewChosen(
  { store, authorization }: UseCases,
  principal: Principal,
  decision: TogetherKind,
  chosen: readonly Chosen[],
) {
  return store.inTenant(principal.tenant, async (unit) => {
    const askNewest = authorization.under(await unit.policies.newest());
    const askUnder = asksUnder(unit, authorization);
    const looked = [];
    for (const one of chosen) {
      const stored = await unit.approvals.find(one.approvalId);
      const shown = stored && refusalIn(() => checkMayView(principal, stored, askNewest)) === null;
      const seen = shown ? stored : undefined;
      const refusal = seen
        ? refusalOfChosen(seen.approval, one, decision, principal, await askUnder(seen))
        : new CountersignError('not_found');
      const was = refusal?.code === 'decision_stale' ? await amountOf(unit, one) : null;
      looked.push({ ...one, stored: seen, refusal, was });
    }
    const counted = looked.flatMap(({ stored, refusal }) => (stored && !refusal ? [stored] : []));
    const totals = totalsOf(counted, principal);
    const views = await viewsOf(
      unit,
      looked.flatMap(({ stored }) => stored ?? []),
    );
    return {
      items: looked.map(({ stored: _stored, ...one }) => ({
        ...one,
        approval: views.find(({ id }) => id === one.approvalId) ?? null,
        /** Far above the others of its currency. */
        outlier: totals.some(({ outliers }) => outliers.has(one.approvalId)),
      })),
      totals: totals.map(({ outliers, ...total }) => ({ ...total, outliers: outliers.size })),
    };
  });
}

/** What it asked for when it was chosen. */
async function amountOf(unit: Unit, { approvalId, proposalHash }: Chosen) {
  const revisions = await unit.approvals.revisions(approvalId);
  const chosen = revisions.find((revision) => revision.proposalHash === proposalHash);
  return chosen && isOfMoney(chosen.arguments) ? amountView(chosen.arguments.amount) : null;
}

function refusalOfChosen(
  approval: ApprovalState,
  { proposalHash }: Chosen,
  decision: TogetherKind,
  who: Principal,
  ask: Ask,
): CountersignError | null {
  const addressed = { approvalId: approval.id, decision, proposalHash };
  return (
    refusalIn(() => checkAddressed(approval, addressed, Date.now())) ??
    refusalOfVote(approval, who, decision, ask)
  );
}

/** For each currency: how much it comes to, what stands out, and what a yes of this person would send at once. */
function totalsOf(approvals: readonly StoredApproval[], who: Principal) {
  const ofMoney = approvals.flatMap(({ approval, risk }) =>
    isOfMoney(approval.arguments) ? [{ approval, risk, amount: approval.arguments.amount }] : [],
  );
  const currencies = [...new Set(ofMoney.map(({ amount }) => amount.currency))];
  return currencies.map((currency) => {
    const own = ofMoney.filter(({ amount }) => amount.currency === currency);
    const { sum, largest, outliers } = spreadOf(own);
    const completed = own.filter(({ approval }) => wouldComplete(approval, who));
    return {
      currency,
      count: own.length,
      sum: amountView(sum),
      largest: amountView(largest),
      marked: own.filter(({ risk }) => risk.length > 0).length,
      completed: completed.length,
      sent: amountView(sumOf(completed, currency)),
      outliers: new Set(outliers.map(({ approval }) => approval.id)),
    };
  });
}

function sumOf(items: readonly { readonly amount: Money }[], currency: string): Money {
  return { minor: items.reduce((sum, { amount }) => sum + amount.minor, 0), currency };
}
