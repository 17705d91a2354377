import { z } from 'zod';
import type { ApprovalStatus } from '../approval/state';
import { isFinal, type FinalPhase, type Phase } from '../contract';
import type { Money } from '../money/money';
import { moneySchema } from '../money/moneySchema';
import type { RefundReason } from '../refund/request';

/** One row of a run's audit log, as far as states follow from it. `at` in ms since the epoch. */
export interface Transition {
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
  readonly event: string;
  readonly after?: unknown;
  readonly reason?: string;
  readonly policyVersion?: string;
  readonly effectKey?: string;
  readonly providerId?: string;
}

/** What of an approval follows from the log. Null: a release that did not write it down. */
export interface PastApproval {
  readonly revision: number;
  readonly status: ApprovalStatus;
  readonly votes: readonly string[] | null;
  readonly needed: number | null;
  /** ms since the epoch. */
  readonly deadline: number | null;
  readonly escalatedTo: readonly string[];
}

/** What a run was after one of its transitions. */
export interface PastState {
  readonly phase: Phase;
  readonly paymentId: string | null;
  /** In force then, minor units; `amountBy` has proposed it, by asking or by an edit. */
  readonly amount: Money | null;
  readonly amountBy: string | null;
  readonly reason: RefundReason | null;
  readonly money: 'none' | 'reserved' | 'unknown' | 'paid' | 'freed';
  readonly approval: PastApproval | null;
  readonly policyVersion: string | null;
  readonly effectKey: string | null;
  readonly refundId: string | null;
  /** Why it waited for a person to look, as a code. */
  readonly review: string | null;
  /** Why it ended otherwise than by paying. */
  readonly code: string | null;
}

export interface PastStep<Row extends Transition = Transition> {
  readonly transition: Row;
  readonly state: PastState;
}

const nothing: PastState = {
  phase: 'validating',
  ...{ paymentId: null, amount: null, amountBy: null, reason: null, money: 'none', approval: null },
  ...{ policyVersion: null, effectKey: null, refundId: null, review: null, code: null },
};

const absent = undefined;
const voter = z.union([z.string(), z.object({ actor: z.string() }).transform(({ actor }) => actor)]);
const moment = z.union([z.number(), z.iso.datetime().transform((text) => Date.parse(text))]);

/** The members of a row that states follow from; whatever else stands there, or stands there in another form, is left out. */
const recorded = z.object({
  amount: moneySchema.optional().catch(absent),
  paymentId: z.string().optional().catch(absent),
  reason: z.string().optional().catch(absent),
  refundReason: z.string().optional().catch(absent),
  held: z.boolean().optional().catch(absent),
  decision: z.string().optional().catch(absent),
  revision: z.int().optional().catch(absent),
  needed: z.int().optional().catch(absent),
  status: z.string().optional().catch(absent),
  votes: z.array(voter).optional().catch(absent),
  deadline: moment.optional().catch(absent),
  escalatedTo: z.array(z.string()).optional().catch(absent),
});
type Recorded = z.infer<typeof recorded>;

type Step = (now: PastState, said: Recorded, of: Transition) => Partial<PastState>;

/** The state after every row, in the order of the rows, which is that of their numbers. */
export function statesOf<Row extends Transition>(transitions: readonly Row[]): PastStep<Row>[] {
  let state = nothing;
  return transitions.map((transition) => {
    state = after(state, transition);
    return { transition, state };
  });
}

function after(now: PastState, transition: Transition): PastState {
  const said = recorded.safeParse(transition.after ?? {}).data ?? {};
  const step = steps[transition.event] ?? (isApplied(transition.event) ? decided : unchanged);
  const next = { ...now, ...step(now, said, transition) };
  const version = step === unchanged ? undefined : transition.policyVersion;
  return {
    ...next,
    policyVersion: version ?? next.policyVersion,
    review: next.phase === 'needs_review' ? next.review : null,
  };
}

const unchanged: Step = () => ({});

/** `decision_approve` and the like: one that took effect. */
function isApplied(event: string): boolean {
  return event.startsWith('decision_') && event !== 'decision_received' && event !== 'decision_refused';
}

const decided: Step = (now, said, { actor, event }) => ({
  approval: approvalAfter(now, said),
  amount: said.amount ?? now.amount,
  reason: (said.refundReason as RefundReason | undefined) ?? now.reason,
  ...(event === 'decision_edit' ? { amountBy: actor } : {}),
});

/** What it had given back is held again before anybody is asked. */
const asked: Step = (now, said) => ({
  phase: 'waiting_approval',
  approval: approvalAfter(now, { status: 'open', votes: [], ...said }),
  money: now.money === 'none' || now.money === 'freed' ? 'reserved' : now.money,
  amount: said.amount ?? now.amount,
});

const askedAgain: Step = (now, said) => ({
  phase: 'waiting_approval',
  // Releases that did not write votes down: a new revision has none, of the same one nobody knows.
  approval: {
    ...approvalAfter(now, { status: 'open', ...said }),
    votes: said.votes ?? (said.revision === now.approval?.revision ? null : []),
  },
});

const changedApproval: Step = (now, said) => (now.approval ? { approval: approvalAfter(now, said) } : {});

function approvalAfter({ approval }: PastState, said: Recorded): PastApproval {
  return {
    revision: said.revision ?? approval?.revision ?? 1,
    status: (said.status as ApprovalStatus | undefined) ?? approval?.status ?? 'open',
    votes: said.votes ?? approval?.votes ?? null,
    needed: said.needed ?? approval?.needed ?? null,
    deadline: said.deadline ?? approval?.deadline ?? null,
    escalatedTo: said.escalatedTo ?? approval?.escalatedTo ?? [],
  };
}

const settled =
  (money?: PastState['money']): Step =>
  (now, said, { providerId, effectKey }) => ({
    phase: isFinal(now.phase) ? now.phase : 'settling',
    money: money ?? now.money,
    refundId: providerId ?? now.refundId,
    effectKey: effectKey ?? now.effectKey,
    ...(money === 'paid' && said.amount ? { amount: said.amount } : {}),
  });

const ended =
  (phase: FinalPhase): Step =>
  (now, _said, { reason, providerId }) => ({
    phase,
    code: reason ?? null,
    refundId: providerId ?? now.refundId,
    ...(phase === 'completed' || now.money === 'none' || now.money === 'paid' ? {} : { money: 'freed' }),
    approval:
      now.approval?.status === 'open'
        ? { ...now.approval, status: phase === 'expired' ? 'expired' : 'cancelled' }
        : now.approval,
  });

/** What each event makes of a state. An event that is not here is news, and changes nothing of it. */
const steps: Readonly<Record<string, Step>> = {
  requested: (_now, said, { actor }) => ({
    amount: said.amount ?? null,
    amountBy: actor,
    paymentId: said.paymentId ?? null,
    reason: (said.reason as RefundReason | undefined) ?? null,
    money: said.held === true ? 'reserved' : 'none',
  }),
  reserved: (now, said) => ({
    money: 'reserved',
    amount: said.amount ?? now.amount,
    paymentId: said.paymentId ?? now.paymentId,
  }),
  policy_evaluated: (_now, { decision }) => (decision === 'automatic' ? { phase: 'executing' } : {}),
  approval_opened: asked,
  votes_voided: asked,
  reminded: changedApproval,
  escalated: changedApproval,
  deadline_extended: changedApproval,
  inbox_repaired: changedApproval,
  authorized: () => ({ phase: 'executing' }),
  authorization_wait_again: askedAgain,
  needs_review: (_now, _said, { reason }) => ({ phase: 'needs_review', review: reason ?? null }),
  refund_sent: (_now, _said, { effectKey }) => ({ effectKey: effectKey ?? null }),
  refund_outcome_unknown: (now) => (now.money === 'reserved' ? { money: 'unknown' } : {}),
  refund_succeeded: settled('paid'),
  refund_pending: settled(),
  refund_requires_action: settled(),
  refund_failed: settled('freed'),
  refund_canceled: settled('freed'),
  refund_failed_later: () => ({ money: 'freed' }),
  cancelled_unsent: ended('cancelled'),
  completed: ended('completed'),
  rejected: ended('rejected'),
  expired: ended('expired'),
  cancelled: ended('cancelled'),
  failed: ended('failed'),
};
