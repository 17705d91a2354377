import { checkAuthority } from '../approval/authority';
import { newRevision } from '../approval/decide';
import type { ApprovalState, Authority } from '../approval/state';
import { CountersignError } from '../errors';
import type { MemoryAsker } from '../memory/facts';
import type { Money } from '../money/money';
import { checkReviewer } from '../refund/review';
import { refundAction, type RefundArguments } from '../refund/state';
import { refuseUnlessPermitted, type Ask } from './authorization';
import { isOnMemory, readAmount, type PastInCase, type PolicyCase, type PolicyCases } from './cases';
import type { Policy } from './document';
import type { CustomerHistory, RiskFacts } from '../risk/facts';
import { evaluatePolicy, unlessForbidden, type PolicyDecision } from './evaluate';
import { tryOnMemory, type MemoryAction } from './memoryCases';

export interface CaseResult {
  readonly case: string;
  readonly passed: boolean;
  /** What the case says, and what the policy says: `permit`, a code, `automatic`, `2 votes, one from …`. */
  readonly expected: string;
  readonly got: string;
  /** For a refusal. */
  readonly detail?: string;
}

/** Those that only refuse, whatever their reason. */
const refusals: readonly string[] = ['forbidden', 'separation_of_duties', 'over_limit', 'not_found'];
const tenant = 'example';
const reason = 'damaged';

/** Each example under one version of a policy. Pure; nothing that really happened counts. */
export function runCases(
  policy: Pick<Policy, 'version' | 'document'>,
  ask: Ask,
  { people, cases }: PolicyCases,
): CaseResult[] {
  return cases.map((one) => {
    const { got, detail } = outcomeOf(policy, ask, one, people);
    const expected = wanted(one.then);
    const passed = expected === got || (expected === 'deny' && refusals.includes(got));
    return { case: one.case, passed, expected, got, ...(detail === undefined ? {} : { detail }) };
  });
}

function wanted(then: PolicyCase['then']): string {
  return typeof then === 'string' ? then : votes(then.votes, then.oneFrom);
}

function votes(needed: number, oneFrom: string | undefined): string {
  const count = needed === 1 ? '1 vote' : `${needed} votes`;
  return oneFrom === undefined ? count : `${count}, one from ${oneFrom}`;
}

function outcomeOf(
  policy: Pick<Policy, 'version' | 'document'>,
  ask: Ask,
  one: PolicyCase,
  people: PolicyCases['people'],
): { got: string; detail?: string } {
  const { who: id, does } = one;
  if (id === undefined || does === undefined) {
    const { decision, needed, oneFrom, explanation } = automaticOrNot(policy, ask, one, people);
    return { got: decision === 'automatic' ? 'automatic' : votes(needed, oneFrom), detail: explanation };
  }
  try {
    if (isOnMemory(does))
      tryOnMemory({ version: policy.version, ask }, does, askerOf(id, people), one.memory);
    else tryIt(policy, ask, one, does, authorityOf(id, people));
    return { got: 'permit' };
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    return { got: error.code, detail: error.detail };
  }
}

function tryIt(
  policy: Pick<Policy, 'version' | 'document'>,
  ask: Ask,
  one: PolicyCase,
  does: Exclude<NonNullable<PolicyCase['does']>, MemoryAction>,
  who: Authority,
): void {
  const otherwise = `no rule permits ${who.id} to ${does}`;
  switch (does) {
    case 'manage':
      return refuseUnlessPermitted(
        ask({ who, action: 'manage', setting: one.what ?? 'policies' }),
        otherwise,
      );
    case 'propose':
    case 'view':
    case 'cancel':
    case 'review': {
      const { requester = does === 'propose' ? who.id : 'service', onBehalfOf = null } = one.when ?? {};
      const refund = {
        tenant,
        requester,
        onBehalfOf,
        amount: amountIn(one.amount),
        request: { reason },
      } as const;
      if (does === 'review') return checkReviewer(policy.document.reviewGroup, who, refund, ask);
      return refuseUnlessPermitted(ask({ who, action: does, refund }), otherwise);
    }
    default:
      return checkAuthority(approvalFor(policy, one), who, does, ask);
  }
}

function automaticOrNot(
  policy: Pick<Policy, 'version' | 'document'>,
  ask: Ask,
  one: PolicyCase,
  people: PolicyCases['people'],
): PolicyDecision {
  const { requester = 'service', onBehalfOf = null } = one.when ?? {};
  const amount = amountIn(one.amount);
  const who = Object.hasOwn(people, requester)
    ? authorityOf(requester, people)
    : ({ tenant, id: requester, kind: 'service', groups: [], limitMajor: null } as const);
  const refund = { tenant, requester, onBehalfOf, amount, request: { reason }, risk: riskIn(one) } as const;
  return unlessForbidden(decisionFor(policy, one, false), ask({ who, action: 'pay_automatically', refund }));
}

function riskIn({ amount, when = {} }: PolicyCase): RiskFacts {
  const { customer = {}, toOtherMethod = false, ...of }: PastInCase = when.risk ?? {};
  const sum = (text: string | undefined) => (text === undefined ? 0 : amountIn(text).minor);
  return {
    currency: amountIn(amount).currency,
    payment: {
      refunds: of.paymentRefunds ?? 0,
      refunded: sum(of.paymentRefunded),
      rejections: of.paymentRejections ?? 0,
      ageHours: of.paymentAgeHours ?? 0,
      disputed: sum(of.disputed),
    },
    ...(customer === 'unknown' ? {} : { customer: customerIn(customer, sum(customer.refunded)) }),
    ...(toOtherMethod === 'unknown' ? {} : { toOtherMethod }),
  };
}

function customerIn(
  {
    refunds = 0,
    lastHour = 0,
    lastDay = 0,
    last30Days = 0,
    rejections = 0,
  }: Exclude<PastInCase['customer'], 'unknown' | undefined>,
  refunded: number,
): CustomerHistory {
  return { refunds, refunded, lastHour, lastDay, last30Days, rejections };
}

function authorityOf(id: string, people: PolicyCases['people']): Authority {
  const { kind, groups, limit } = personOf(id, people);
  if (kind === 'workflow') throw new RangeError('a case lets a workflow do what it never does');
  return { tenant, id, kind, groups, limitMajor: limit ?? null };
}

function askerOf(id: string, people: PolicyCases['people']): MemoryAsker {
  const { kind, groups } = personOf(id, people);
  return { tenant, id, kind, groups };
}

function personOf(id: string, people: PolicyCases['people']): PolicyCases['people'][string] {
  const person = Object.hasOwn(people, id) ? people[id] : undefined;
  if (!person) throw new RangeError('a case names somebody who is not among its people');
  return person;
}

function amountIn(text: string | undefined): Money {
  const amount = readAmount(text ?? '');
  if (!amount) throw new RangeError('a case without a readable amount');
  return amount;
}

function decisionFor(
  policy: Pick<Policy, 'version' | 'document'>,
  { amount: text, when = {} }: PolicyCase,
  asked: boolean,
): PolicyDecision {
  const amount = amountIn(text);
  const together = when.together === undefined ? amount.minor : amountIn(when.together).minor;
  const today = when.automaticToday === undefined ? amount.minor : amountIn(when.automaticToday).minor;
  const sums = {
    payment: together,
    customer: together,
    automaticByPrincipal: today,
    automaticByTenant: today,
  };
  return evaluatePolicy(policy, amount, sums, asked);
}

/** The approval that the case describes, in its revision in force. */
function approvalFor(policy: Pick<Policy, 'version' | 'document'>, one: PolicyCase): ApprovalState {
  const { requester = 'service', onBehalfOf, edited, escalatedTo = [] } = one.when ?? {};
  const args: RefundArguments = { amount: amountIn(one.amount), reason };
  const proposed = edited === undefined ? args : { ...args, amount: amountIn(edited.from) };
  const decision = decisionFor(policy, one, true);
  const first: ApprovalState = {
    id: 'apr_example',
    tenant,
    runId: 'run_example',
    action: refundAction,
    target: 'ch_example',
    revision: 1,
    proposalHash: '',
    arguments: proposed,
    status: 'open',
    requester,
    ...(onBehalfOf === undefined ? {} : { onBehalfOf }),
    policy: decision,
    votes: [],
    proposals: [{ revision: 1, by: requester, minor: proposed.amount.minor }],
    openedAt: 0,
    deadline: 1,
    risk: riskIn(one),
    escalatedTo,
  };
  if (edited === undefined) return first;
  return newRevision(first, { arguments: args, policy: decision, proposalHash: '' }, edited.by, 'edited');
}
