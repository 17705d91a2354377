import { checkAddressed } from '../domain/approval/addressed';
import { decisionContent, type DecisionBody } from '../domain/approval/decision';
import { refundWorkflowId, signalNames } from '../domain/contract';
import { CountersignError } from '../domain/errors';
import type { Principal } from '../ports/people';
import { checkDecision } from './checkDecision';
import type { UseCases } from './dependencies';

/**
 * The checks of a decision, then a proof for tools that can only signal: a compact JWS. Nothing is decided yet. The proof
 * carries no free text, so a comment is kept beside it until the proof arrives.
 * @throws CountersignError in the order 404, 422, 403, 409
 */
export async function signDecision(
  useCases: UseCases,
  principal: Principal,
  approvalId: string,
  body: DecisionBody,
): Promise<{ jws: string; workflowId: string; signal: string }> {
  const { approval, envelope } = await checkDecision(useCases, principal, approvalId, body);
  checkAddressed(approval, envelope, envelope.receivedAt);
  const { comment } = body;
  if (comment !== undefined) {
    const decision = { envelope, content: decisionContent(envelope), channel: 'signed' };
    const kept = await useCases.store.inTenant(envelope.tenant, (unit) =>
      unit.decisions.keepSigned(decision, comment),
    );
    if (!kept) {
      throw new CountersignError('decision_conflict', 'a decision of that id is on record already');
    }
  }
  const jws = await useCases.signatures.sign(envelope);
  return { jws, workflowId: refundWorkflowId(envelope.tenant, envelope.runId), signal: signalNames.approval };
}
