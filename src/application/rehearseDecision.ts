import { checkAddressed } from '../domain/approval/addressed';
import type { DecisionBody } from '../domain/approval/decision';
import type { Principal } from '../ports/people';
import { checkDecision } from './checkDecision';
import type { UseCases } from './dependencies';

/**
 * Everything that would refuse this decision at the door, before a person is asked whether he is sure. Nothing is decided.
 * @throws CountersignError as `decide` does
 */
export async function rehearseDecision(
  useCases: UseCases,
  principal: Principal,
  approvalId: string,
  body: DecisionBody,
): Promise<void> {
  const { approval, envelope } = await checkDecision(useCases, principal, approvalId, body);
  checkAddressed(approval, envelope, envelope.receivedAt);
}
