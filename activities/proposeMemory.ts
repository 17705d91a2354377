import { refundOutcomeCandidate, type RefundOutcome } from '../src/domain/memory/refundOutcome';
import { effectKey } from '../src/domain/steps';
import type { MemoryStore } from '../src/ports/memory';

/** Typed fields only: this payload stands in the history, so it holds no free text (R39). */
export interface OutcomeToRemember {
  readonly tenant: string;
  /** Whose memory it becomes: whoever asked for the refund. */
  readonly owner: string;
  readonly runId: string;
  readonly amount: RefundOutcome['amount'];
  readonly reason: RefundOutcome['reason'];
  /** `completed` when absent. */
  readonly outcome?: RefundOutcome['outcome'];
  readonly refundId?: string;
}

export interface MemoryVerdict {
  readonly decisionId: string;
  readonly allowed: boolean;
  readonly ruleIds: readonly string[];
  readonly policyVersion: string;
}

/**
 * Puts the outcome of a run through the memory gate, once per run however often it is called. A refusal is a
 * result, and no failure of the run. Throws CountersignError memory_scope_invalid.
 */
export function proposeMemory(memory: MemoryStore) {
  return async ({ tenant, owner, ...fields }: OutcomeToRemember): Promise<MemoryVerdict> => {
    const candidate = refundOutcomeCandidate(tenant, owner, { outcome: 'completed', ...fields });
    const actor = { tenant, id: 'refund', kind: 'workflow' } as const;
    const requestKey = effectKey(fields.runId, 'remember');
    const { decisionId, allowed, ruleIds, policyVersion } = await memory.propose(candidate, actor, {
      requestKey,
    });
    return { decisionId, allowed, ruleIds, policyVersion };
  };
}
