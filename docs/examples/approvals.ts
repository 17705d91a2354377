import { CountersignError, type Approval, type Countersign, type DecisionOutcome } from 'countersign';

/** Whatever waits for the group, the one whose deadline is nearest. */
export async function mostUrgent(reviewer: Countersign, group: string): Promise<Approval | undefined> {
  const { items } = await reviewer.approvals.list({ status: 'open', group, sort: 'deadline', limit: 1 });
  return items[0];
}

/**
 * Approves exactly what was read, which `proposalHash` names: had somebody changed it meanwhile, the decision would be
 * refused instead of applied to something else.
 */
export async function approve(reviewer: Countersign, { id, proposalHash }: Approval): Promise<string> {
  try {
    return statusOf(await reviewer.approvals.approve(id, { proposalHash }));
  } catch (error) {
    if (!(error instanceof CountersignError) || error.code !== 'decision_stale') throw error;
    const now = await reviewer.approvals.show(id);
    return `read it again: it is revision ${now.revision} now`;
  }
}

/** Proposes a lower amount, which is a vote for it as well. What people decide about besides refunds can't be edited. */
export async function lower(reviewer: Countersign, read: Approval, value: string): Promise<string> {
  const { id, proposalHash } = read;
  if (!('amount' in read.arguments)) return read.status;
  const { currency } = read.arguments.amount;
  const outcome = await reviewer.approvals.edit(id, {
    proposalHash,
    arguments: { amount: { value, currency } },
    comment: 'The box was not broken.',
  });
  return statusOf(outcome);
}

/** `recorded`: no worker is up. The decision is kept, and takes effect once there is one. */
function statusOf(outcome: DecisionOutcome): string {
  return outcome.status === 'applied' ? outcome.approval.status : outcome.status;
}
