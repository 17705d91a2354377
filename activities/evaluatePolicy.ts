import {
  evaluatePolicy as evaluate,
  unlessForbidden,
  type PolicyDecision,
} from '../src/domain/policy/evaluate';
import type { Money } from '../src/domain/money/money';
import type { Verdict } from '../src/domain/policy/authorization';
import type { RiskFacts } from '../src/domain/risk/facts';
import type { Authorization } from '../src/ports/authorization';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';
import { carriedByManifest, manifestBatchOf } from './manifestBatch';

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
export function evaluatePolicy({ store, authorization }: Pick<Dependencies, 'store' | 'authorization'>) {
  return async ({ tenant, runId, amount }: PolicyQuestion): Promise<PolicyDecision> =>
    store.inTenant(tenant, async (unit) => {
      const byTable = await judge(unit, runId, amount, false);
      const batch = await manifestBatchOf(unit, runId);
      const { decision, risk } = batch
        ? { decision: carriedByManifest(byTable, batch.batchId), risk: null }
        : await orAskPeople(unit, authorization, runId, byTable);
      if (decision.decision === 'automatic' && !batch)
        await unit.runs.change(runId, { automatic: true, phase: 'executing' });
      await unit.audit.append({
        runId,
        actor: 'policy',
        event: 'policy_evaluated',
        step: 'evaluate_policy',
        after: { decision: decision.decision, needed: decision.needed, ruleIds: decision.ruleIds, risk },
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

/** What the past of the refund makes of an answer that asks nobody, by the rules of the newest version. */
export async function orAskPeople(
  unit: Unit,
  authorization: Authorization,
  runId: string,
  byTable: PolicyDecision,
): Promise<{ decision: PolicyDecision; risk: RiskFacts }> {
  const risk = await unit.history.factsOf(runId, Date.now());
  if (byTable.decision !== 'automatic') return { decision: byTable, risk };
  const run = await unit.runs.find(runId);
  const who = run && (await unit.people.find(run.requester));
  const verdict: Verdict =
    run && who
      ? authorization.under(await unit.policies.published(byTable.policyVersion))({
          who,
          action: 'pay_automatically',
          refund: { ...run, risk },
        })
      : { allowed: false, because: 'error', detail: 'whoever asked for it is not active any more' };
  return { decision: unlessForbidden(byTable, verdict), risk };
}
