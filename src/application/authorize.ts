import { askAbout } from '../domain/memory/proposal';
import { refuseUnlessPermitted, type Ask, type Question, type Verdict } from '../domain/policy/authorization';
import type { StoredApproval } from '../ports/approvals';
import type { Principal } from '../ports/people';
import type { UseCases } from './dependencies';

export const notToBeSeen = 'policy does not let this identity see that';

/** Whether he may see this approval. */
export function viewing(who: Principal, stored: StoredApproval, ask: Ask): Verdict {
  return askAbout(stored, ask)({ who, action: 'view', approval: stored.approval });
}

/** @throws CountersignError forbidden, or the code of the rule that forbids */
export function checkMayView(who: Principal, stored: StoredApproval, ask: Ask): void {
  refuseUnlessPermitted(viewing(who, stored, ask), notToBeSeen);
}

/**
 * Asks the newest policy of the asker's own tenant; `otherwise` is said where no rule permits it.
 * @throws CountersignError forbidden, or the code of the rule that forbids
 */
export async function checkPermitted(
  { store, authorization }: UseCases,
  question: Question,
  otherwise: string,
): Promise<void> {
  const policy = await store.inTenant(question.who.tenant, (unit) => unit.policies.newest());
  refuseUnlessPermitted(authorization.under(policy)(question), otherwise);
}
