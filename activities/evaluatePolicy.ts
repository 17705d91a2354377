import { evaluatePolicy as evaluate, type PolicyDecision } from '../src/domain/policy/evaluate';
import type { Money } from '../src/domain/money/money';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';

const hourMs = 3_600_000;

export interface PolicyQuestion {
  readonly tenant: string;
  readonly runId: string;
  readonly amount: Money;
}

/**
 * How many people must agree, by the newest policy of the tenant. The amount is held before this runs, so of two
 * split requests at the same time at least one sees the other (R30).
 */
export function evaluatePolicy({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, runId, amount }: PolicyQuestion): Promise<PolicyDecision> =>
    store.inTenant(tenant, async (unit) => {
      const decision = await judge(unit, runId, amount, false);
      if (decision.decision === 'automatic')
        await unit.runs.change(runId, { automatic: true, phase: 'executing' });
      await unit.audit.append({
        runId,
        actor: 'policy',
        event: 'policy_evaluated',
        step: 'evaluate_policy',
        after: { decision: decision.decision, needed: decision.needed, ruleIds: decision.ruleIds },
        reason: decision.explanation,
        policyVersion: decision.policyVersion,
      });
      return decision;
    });
}

/** The policy's answer inside a transaction; `asked`: a person is involved already, so it is never automatic. */
export async function judge(
  unit: Unit,
  runId: string,
  amount: Money,
  asked: boolean,
): Promise<PolicyDecision> {
  const policy = await unit.policies.newest();
  const now = Date.now();
  const since = now - policy.document.aggregateWindowHours * hourMs;
  const sums = await unit.ledger.aggregates(runId, since, now - 24 * hourMs);
  return evaluate(policy, amount, sums, asked);
}
