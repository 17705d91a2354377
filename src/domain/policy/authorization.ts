import type { DecisionKind } from '../approval/message';
import type { ApprovalState, Authority } from '../approval/state';
import { CountersignError, type ErrorCode } from '../errors';
import type { MemoryAsker, MemoryQuestion } from '../memory/facts';
import type { Money } from '../money/money';
import type { RiskFacts } from '../risk/facts';
import type { RefundReason } from '../refund/request';

/** What an administrator sets for a whole tenant. */
export type Setting = 'policies' | 'brake' | 'knowledge' | 'memory';

/** What policy knows of a refund; a run is one. */
export interface RefundFacts {
  readonly tenant: string;
  readonly requester: string;
  readonly onBehalfOf: string | null;
  readonly amount: Money;
  readonly request: { readonly reason: RefundReason; readonly askedBy?: readonly string[] };
  /** Known once the payment is: where the table asks nobody. */
  readonly risk?: RiskFacts;
}

/** One question of "may he?". What is asked about decides which actions there are. */
export type Question =
  | ({ readonly who: Authority } & (
      | { readonly action: DecisionKind | 'view'; readonly approval: ApprovalState }
      | {
          readonly action: 'propose' | 'view' | 'cancel' | 'review' | 'pay_automatically';
          readonly refund: RefundFacts;
        }
      | { readonly action: 'manage' | 'view'; readonly setting: Setting }
    ))
  | ({ readonly who: MemoryAsker } & MemoryQuestion);

/** What a rule that forbids may give as its code. */
export const forbidCodes = ['forbidden', 'separation_of_duties', 'over_limit'] as const satisfies ErrorCode[];

/** `ruleIds`: the rules that decided. */
export type Verdict =
  | { readonly allowed: true; readonly ruleIds: readonly string[] }
  /** No rule permits it. */
  | { readonly allowed: false; readonly because: 'no_rule' }
  /** A rule forbids it, with its own words where it has some. */
  | {
      readonly allowed: false;
      readonly because: 'forbidden';
      readonly ruleIds: readonly string[];
      readonly code: (typeof forbidCodes)[number];
      readonly says?: string;
    }
  /** The policy or the question can't be evaluated, which is a no (R42). */
  | { readonly allowed: false; readonly because: 'error'; readonly detail: string };

/** Answers under one version of one tenant's policy. */
export type Ask = (question: Question) => Verdict;

/**
 * Refuses what policy doesn't permit; `otherwise` is what is said where no rule permits it.
 * @throws CountersignError forbidden, or the code of the rule that forbids
 */
export function refuseUnlessPermitted(verdict: Verdict, otherwise: string): void {
  if (verdict.allowed) return;
  if (verdict.because === 'no_rule') throw new CountersignError('forbidden', otherwise);
  if (verdict.because === 'error') throw new CountersignError('forbidden', verdict.detail);
  throw new CountersignError(verdict.code, verdict.says, { ruleIds: verdict.ruleIds });
}
