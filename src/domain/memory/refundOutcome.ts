import { z } from 'zod';
import { finalPhases } from '../contract';
import type { Money } from '../money/money';
import { moneySchema } from '../money/moneySchema';
import { refundReasons } from '../refund/request';
import type { MemoryCandidate } from './candidate';

const id = z.string().regex(/^[!-~]{1,128}$/);

/** What is remembered of a finished refund: typed fields alone, no free text. */
export const refundOutcomeSchema = z.strictObject({
  runId: id,
  outcome: z.enum(finalPhases),
  /** Minor units. */
  amount: moneySchema,
  reason: z.enum(refundReasons),
  refundId: id.optional(),
});
export type RefundOutcome = z.infer<typeof refundOutcomeSchema> & { readonly amount: Money };

export function refundOutcomeKey(runId: string): string {
  return `refund/${runId}`;
}

/** The candidate that the refund workflow proposes about its own end; the only kind that the gate takes from it. */
export function refundOutcomeCandidate(
  tenantId: string,
  ownerId: string,
  outcome: RefundOutcome,
): MemoryCandidate {
  return {
    tenantId,
    ownerId,
    key: refundOutcomeKey(outcome.runId),
    value: JSON.stringify(outcome),
    kind: 'episodic',
    source: 'tool',
    explicitUserRequest: false,
    confidence: 1,
    evidence: [{ kind: 'run', ref: outcome.runId }],
  };
}

/** Whether a value is such a record, and of the run that the key names. */
export function isRefundOutcome(key: string, value: string): boolean {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    return false;
  }
  const outcome = refundOutcomeSchema.safeParse(parsed);
  return outcome.success && key === refundOutcomeKey(outcome.data.runId);
}
