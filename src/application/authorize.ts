import { refuseUnlessPermitted, type Question } from '../domain/policy/authorization';
import type { UseCases } from './dependencies';

export const notToBeSeen = 'policy does not let this identity see that';

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
