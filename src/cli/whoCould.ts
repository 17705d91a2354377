import { CountersignError, type Approval } from '../client';

/** Refusals of a person who may not decide so, where another one may. */
const refusals: readonly string[] = ['forbidden', 'separation_of_duties', 'over_limit'];

/**
 * Says in a refused decision who could make it, as far as the approval tells: its groups, never persons.
 * @throws what `decide` throws
 */
export async function sayingWhoCould<Outcome>(
  decide: Promise<Outcome>,
  show: () => Promise<Approval>,
): Promise<Outcome> {
  try {
    return await decide;
  } catch (error) {
    if (!(error instanceof CountersignError) || !refusals.includes(error.code)) throw error;
    // Whoever may not see it either is told no more than before.
    const approval = await show().catch(() => undefined);
    if (!approval) throw error;
    const whoCould = deciders(error.code, approval);
    throw new CountersignError(error.code, error.detail, { ...error.details, whoCould });
  }
}

function deciders(code: string, { id, policy, arguments: args }: Approval): string {
  const groups = [policy.approverGroup, policy.oneFrom, ...policy.escalatedTo].filter(
    (group) => group !== null,
  );
  const named = [...new Set(groups)].join(' or ');
  if (code === 'over_limit' && 'amount' in args)
    return `somebody of ${named} whose limit reaches ${args.amount.value} ${args.amount.currency}; asked too by: countersign approvals escalate ${id}`;
  return code === 'separation_of_duties'
    ? `somebody of ${named} who neither asked for it nor is asked for`
    : `a person of ${named}`;
}
