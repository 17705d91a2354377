import { compareToMajor } from './threshold';
import type { Policy, PolicyDocument } from './document';
import type { Money } from '../money/money';
import type { Verdict } from './authorization';

/** Sums in minor units over the rolling window by intake time: paid + unknown + reserved, this refund included (R30). */
export interface Aggregates {
  readonly payment: number;
  readonly customer: number;
  readonly automaticByPrincipal: number;
  readonly automaticByTenant: number;
}

export interface PolicyDecision {
  readonly decision: 'automatic' | 'approval';
  /** Votes needed in all; 0 only when automatic. */
  readonly needed: number;
  /** A group that at least one of the voters must belong to. */
  readonly oneFrom?: string;
  readonly approverGroup: string;
  readonly ruleIds: readonly string[];
  readonly policyVersion: string;
  /** For the reviewer, in plain words. */
  readonly explanation: string;
  /** The figure that met the thresholds, minor units; absent where no money moves. */
  readonly aggregate?: Money;
  readonly remindersHours: readonly number[];
  readonly escalation?: { readonly afterHours: number; readonly toGroup: string };
  readonly expiryHours: number;
  readonly infoPauseHours?: number;
  readonly claimMinutes?: number;
  readonly delegateTo?: readonly string[];
  readonly graceAfterOutageHours?: number;
  readonly outageAfterMinutes?: number;
}

/**
 * How many people must agree to a refund of `amount`. `asked`: a person is involved already (an edit), so the
 * answer is never automatic. Pure; the caller gives the sums.
 */
export function evaluatePolicy(
  policy: Pick<Policy, 'version' | 'document'>,
  amount: Money,
  sums: Aggregates,
  asked = false,
): PolicyDecision {
  const { document } = policy;
  const { currency } = amount;
  const aggregate = Math.max(sums.payment, sums.customer, amount.minor);
  const listed = Object.hasOwn(document.tiers, currency);
  const tiers = (listed ? document.tiers[currency] : undefined) ?? document.otherCurrencies;
  const index = tiers.findIndex(
    (t) => t.upTo === undefined || compareToMajor(aggregate, currency, t.upTo) <= 0,
  );
  const tier = tiers[index];
  if (!tier) throw new RangeError(`policy ${policy.version} has no tier for ${currency}`);

  const ruleIds = [listed ? `tier-${currency}-${index + 1}` : 'tier-other-currencies'];
  if (aggregate > amount.minor) ruleIds.push('aggregate');
  let needed = tier.approvers;
  if (needed === 0 && capReached(policy, amount, sums)) {
    needed = 1;
    ruleIds.push('daily-automatic-cap');
  }
  if (needed === 0 && asked) {
    needed = 1;
    ruleIds.push('edit-stays-with-people');
  }
  return {
    decision: needed === 0 ? 'automatic' : 'approval',
    needed,
    ...(tier.oneFrom === undefined ? {} : { oneFrom: tier.oneFrom }),
    approverGroup: document.approverGroup,
    ruleIds,
    policyVersion: policy.version,
    explanation: explain(needed, tier.oneFrom, ruleIds),
    aggregate: { minor: aggregate, currency },
    remindersHours: document.remindersHours,
    ...(document.escalation ? { escalation: document.escalation } : {}),
    expiryHours: document.expiryHours,
    ...handlingOf(document),
  };
}

/**
 * Where the table asks nobody, a rule can still forbid that nobody is asked; then one approver must agree. The table
 * says what is automatic, so a permit adds nothing and no rule at all forbids nothing.
 */
export function unlessForbidden(byTable: PolicyDecision, verdict: Verdict): PolicyDecision {
  if (byTable.decision !== 'automatic' || verdict.allowed || verdict.because === 'no_rule') return byTable;
  const [ruleIds, why] =
    verdict.because === 'forbidden'
      ? [verdict.ruleIds, verdict.says ?? `rule ${verdict.ruleIds.join(', ')} forbids that nobody is asked`]
      : [['not-evaluable'], verdict.detail];
  return {
    ...byTable,
    decision: 'approval',
    needed: 1,
    ruleIds: [...byTable.ruleIds, ...ruleIds],
    explanation: `One approver must agree: ${why}.`,
  };
}

/** Only what this policy says; the rest has its default where it is used. */
export function handlingOf({
  infoPauseHours,
  claimMinutes,
  delegateTo,
  graceAfterOutageHours,
  outageAfterMinutes,
}: PolicyDocument) {
  return {
    ...(infoPauseHours === undefined ? {} : { infoPauseHours }),
    ...(claimMinutes === undefined ? {} : { claimMinutes }),
    ...(delegateTo === undefined ? {} : { delegateTo }),
    ...(graceAfterOutageHours === undefined ? {} : { graceAfterOutageHours }),
    ...(outageAfterMinutes === undefined ? {} : { outageAfterMinutes }),
  };
}

function capReached({ document }: Pick<Policy, 'document'>, { currency }: Money, sums: Aggregates): boolean {
  const { principal, tenant } = document.dailyAutomaticCap;
  return (
    compareToMajor(sums.automaticByPrincipal, currency, principal) > 0 ||
    compareToMajor(sums.automaticByTenant, currency, tenant) > 0
  );
}

function explain(needed: number, oneFrom: string | undefined, ruleIds: readonly string[]): string {
  const who =
    needed === 0
      ? 'No approval is needed'
      : needed === 1
        ? 'One approver must agree'
        : `${needed} distinct approvers must agree`;
  const group = oneFrom === undefined ? '' : `, at least one of them from ${oneFrom}`;
  const why = [
    ...(ruleIds.includes('aggregate')
      ? ['recent refunds of this payment or customer count together with this one']
      : []),
    ...(ruleIds.includes('daily-automatic-cap') ? ['the daily cap of automatic refunds is reached'] : []),
    ...(ruleIds.includes('edit-stays-with-people') ? ['an edited refund is never automatic'] : []),
  ];
  return `${who}${group}${why.length > 0 ? `: ${why.join('; ')}` : ''}.`;
}
