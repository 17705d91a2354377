import { createHash } from 'node:crypto';
import { decisionContent, refusal, type DecisionEnvelope } from '../src/domain/approval/decision';
import type { DecisionAnswer } from '../src/domain/approval/message';
import { CountersignError } from '../src/domain/errors';
import type { DecisionToApply } from './applyDecision';
import type { Dependencies } from './dependencies';

export type OnRecord =
  | { readonly envelope: DecisionEnvelope }
  | { readonly envelope?: undefined; readonly answer: DecisionAnswer };

/**
 * The message's decision as PostgreSQL has it. What the message itself claims counts for nothing: either the API
 * recorded the decision of a person it had authenticated, or a registered channel key signed it (R29).
 */
export async function decisionOnRecord(
  { store, signatures }: Pick<Dependencies, 'store' | 'signatures'>,
  { tenant, runId, approvalId, message }: DecisionToApply,
): Promise<OnRecord> {
  try {
    if (message.kind === 'recorded') {
      const stored = await store.inTenant(tenant, (unit) =>
        unit.decisions.find(approvalId, message.decisionId),
      );
      // What was only given out signed is not on record: it counts once the signature itself arrives.
      if (!stored || stored.status === 'signed' || stored.envelope.runId !== runId) {
        throw new CountersignError('signature_invalid', 'no decision of that id is on record');
      }
      return { envelope: stored.envelope };
    }
    const { channel, ...envelope } = await signatures.verify(message.jws);
    if (envelope.tenant !== tenant || envelope.runId !== runId || envelope.approvalId !== approvalId) {
      throw new CountersignError('signature_invalid', 'the decision was signed for another approval');
    }
    const content = decisionContent(envelope);
    const kept = await store.inTenant(tenant, async (unit) => {
      if (await unit.decisions.record({ envelope, content, channel })) return content;
      return (await unit.decisions.find(approvalId, envelope.decisionId))?.content;
    });
    if (kept !== content) throw new CountersignError('decision_conflict');
    return { envelope };
  } catch (error) {
    if (!(error instanceof CountersignError) || error.retry === 'retry') throw error;
    await store.inTenant(tenant, (unit) =>
      unit.audit.append({
        runId,
        actor: 'unknown',
        event: 'signal_refused',
        step: `signal_refused:${fingerprint(message.kind === 'signed' ? message.jws : message.decisionId)}`,
        reason: error.code,
      }),
    );
    return { answer: refusal(error) };
  }
}

/** Tells two refused messages apart without keeping them. */
function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
