import { CountersignError } from '../errors';
import { refuseUnlessPermitted, type Ask, type Verdict } from '../policy/authorization';
import type { DecisionKind } from './message';
import { asks, checkAsker } from './standing';
import { isOfMoney, memoryAction } from '../refund/state';
import type { ApprovalState, Authority, ProposedAmount } from './state';

/** Who opens a revision that no person asked for: a stricter policy, a reset of the run. */
export const policyEditor = 'countersign';

/**
 * Whether this identity may decide so. The tenant's policy says who; that only people decide, and never on their own
 * request, no policy can permit away. Checked when the decision arrives and again at execution, with roles read
 * afresh (R23).
 * @throws CountersignError not_found, forbidden, separation_of_duties, over_limit
 */
export function checkAuthority(
  approval: ApprovalState,
  who: Authority,
  decision: DecisionKind,
  ask: Ask,
): void {
  if (who.tenant !== approval.tenant) throw new CountersignError('not_found');
  if (decision === 'answer_info' || (decision === 'comment' && asks(approval, who))) {
    return checkAnswering(approval, who, ask);
  }
  if (who.kind !== 'person') {
    throw new CountersignError('forbidden', 'only a person can decide; an agent or a service proposes');
  }
  // Whoever takes back what he gave needs no authority for that; whether there is anything shows later.
  if (decision === 'withdraw') return;
  const verdict = ask({ who, action: decision, approval });
  // Whoever is nobody here is told that before anything of who asked for what.
  if (!verdict.allowed && verdict.because !== 'forbidden') refuse(approval, who, verdict);
  checkSeparation(approval, who, decision);
  refuse(approval, who, verdict);
}

export function mayDecide(
  approval: ApprovalState,
  who: Authority,
  decision: DecisionKind,
  ask: Ask,
): boolean {
  try {
    checkAuthority(approval, who, decision, ask);
    return true;
  } catch (error) {
    if (error instanceof CountersignError) return false;
    throw error;
  }
}

/** Whoever asked for the refund says what there is to say about it, also where that is a service or an agent. */
function checkAnswering(approval: ApprovalState, who: Authority, ask: Ask): void {
  checkAsker(approval, who);
  const verdict = ask({ who, action: 'answer_info', approval });
  refuseUnlessPermitted(verdict, 'policy does not let this identity answer questions about the refund');
}

/** Approver ≠ requester, ≠ the human the requester acts for, ≠ whoever raised the amount (R23). */
function checkSeparation(approval: ApprovalState, who: Authority, decision: DecisionKind): void {
  if (asks(approval, who)) throw new CountersignError('separation_of_duties');
  if (decision === 'approve' && raisedBy(approval) === who.id) {
    throw new CountersignError(
      'separation_of_duties',
      'whoever edited a proposal without lowering it may not approve it; somebody else must',
    );
  }
}

function refuse(approval: ApprovalState, who: Authority, verdict: Verdict): void {
  if (!verdict.allowed && verdict.because === 'forbidden' && verdict.code === 'over_limit') {
    const { arguments: args } = approval;
    // A tenant's own rule can give this code to what is no money.
    const limited = who.limitMajor !== null && isOfMoney(args);
    const limit = limited ? ` of ${who.limitMajor} ${args.amount.currency}` : '';
    const said = verdict.says ?? `the amount is above this person's approval limit${limit}`;
    throw new CountersignError('over_limit', said);
  }
  const what = approval.action === memoryAction ? 'rule of procedure' : 'refund';
  refuseUnlessPermitted(verdict, `only members of ${approval.policy.approverGroup} decide on this ${what}`);
}

/** The editor of the revision in force, where his edit did more than lower the amount. */
export function raisedBy(approval: ApprovalState): string | undefined {
  const proposals = authored(approval);
  const last = proposals.at(-1);
  if (!last || last.by === approval.requester || last.by === policyEditor) return undefined;
  const others = proposals.filter((p) => p.by !== last.by).map((p) => p.minor);
  const before = proposals.at(-2);
  const lowered = before !== undefined && last.minor < before.minor && last.minor <= Math.min(...others);
  return lowered ? undefined : last.by;
}

/** Without the revisions that only repeat the amount in force: a reset or a stricter policy proposes nothing. */
export function authored({ proposals }: ApprovalState): readonly ProposedAmount[] {
  return proposals.filter((p, i) => p.by !== policyEditor || p.minor !== proposals[i - 1]?.minor);
}
