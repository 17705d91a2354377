import { refusal } from '../src/domain/approval/decision';
import type { DecisionAnswer } from '../src/domain/approval/message';
import { CountersignError, type RetryDecision } from '../src/domain/errors';
import type { Money } from '../src/domain/money/money';
import { hasFailed, type ProviderRefund } from '../src/domain/refund/providerRefund';
import {
  checkOffered,
  checkReviewer,
  type ReviewAction,
  type ReviewOrder,
} from '../src/domain/refund/review';
import type { Authorization } from '../src/ports/authorization';
import type { Effect } from '../src/ports/ledger';
import type { Run } from '../src/ports/runs';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';

export interface OrderToApply {
  readonly tenant: string;
  readonly runId: string;
  readonly orderId: string;
  readonly paymentId: string;
  readonly amount: Money;
  /** What this review offers. */
  readonly actions: readonly ReviewAction[];
  /** Of the call in question; it may not have been made yet. */
  readonly effectKey: string;
  /** The Temporal execution; another one after a reset. */
  readonly epoch: string;
}

export type Ordered =
  | { readonly kind: 'refused'; readonly answer: DecisionAnswer }
  | { readonly kind: 'retry' | 'fail'; readonly actor: string }
  | { readonly kind: 'paid'; readonly actor: string; readonly refund: ProviderRefund };

/** An attempt younger than this may still arrive at the provider, ms. */
const settleDownMs = 60_000;

const final: ReadonlySet<RetryDecision> = new Set(['fail', 'ask_person']);

/**
 * A person's order about a run in review: authorized here, checked against the provider, and on the audit log. It is
 * read from its record; what the message said counts for nothing.
 */
export function applyReview({
  store,
  payments,
  authorization,
}: Pick<Dependencies, 'store' | 'payments' | 'authorization'>) {
  return async (apply: OrderToApply): Promise<Ordered> => {
    const { tenant, runId, orderId, paymentId } = apply;
    const known = await store.inTenant(tenant, async (unit) => ({
      order: await unit.reviews.find(orderId),
      effect: await unit.effects.find(apply.effectKey),
      run: await unit.runs.find(runId),
    }));
    const { order, effect } = known;
    if (order?.runId !== runId) {
      return { kind: 'refused', answer: refusal(new CountersignError('not_found')) };
    }
    // A reset re-applies old signals: an order of the execution before it is inert (R27).
    if (order.answer && order.epoch !== null && order.epoch !== apply.epoch) {
      await store.inTenant(tenant, (unit) => auditStale(unit, order, apply.epoch));
      return { kind: 'refused', answer: refusal(beforeReset()) };
    }
    if (order.answer?.accepted === false) return { kind: 'refused', answer: order.answer };
    try {
      const ordered = await checked();
      await store.inTenant(tenant, async (unit) => {
        // Proven unpaid: only now may the run end and give its amount back (R8).
        if (ordered.kind === 'fail')
          await unit.effects.recordFailure(apply.effectKey, 'refused', 'provider_refused');
        // From here that refund is this run's; of two runs that name it at once the second is refused here.
        if (ordered.kind === 'paid') await unit.effects.recordRefund(apply.effectKey, runId, ordered.refund);
        await record(unit, order, { accepted: true }, apply.epoch);
      });
      return ordered;
    } catch (error) {
      // The provider does not answer: the order waits until it does.
      if (!(error instanceof CountersignError) || !final.has(error.retry)) throw error;
      const answer = refusal(error);
      await store.inTenant(tenant, (unit) => record(unit, order, answer, apply.epoch));
      return { kind: 'refused', answer };
    }

    async function checked(): Promise<Ordered> {
      const { action, actor, refundId } = known.order ?? unreachable();
      await store.inTenant(tenant, (unit) => authorize(unit, authorization, apply, actor));
      checkOffered(action, apply.actions);
      if (action === 'retry') {
        await refuseUnlessItBears(known.run);
        return { kind: 'retry', actor };
      }
      if (action === 'fail') {
        if (effect) await proveUnpaid(effect);
        return { kind: 'fail', actor };
      }
      const refund = await payments.getRefund(refundId ?? '').catch(unknownRefund);
      checkPays(refund, apply);
      await store.inTenant(tenant, (unit) => refuseIfItPaysAnother(unit, refund.id, runId));
      if (effect && refund.runId === undefined) await refuseBesideOurs();
      return { kind: 'paid', actor, refund };
    }

    /** What was given back has to be held again, which the payment may not bear any more. */
    async function refuseUnlessItBears(run: Run | undefined): Promise<void> {
      if (run?.money !== 'freed') return;
      const payment = await payments.loadPayment(paymentId, 4_000);
      const { remaining } = await store.inTenant(tenant, (unit) => unit.ledger.adopt(payment));
      if (remaining >= apply.amount.minor) return;
      throw new CountersignError('exceeds_remaining', 'the payment does not bear the refund any more', {
        requested: apply.amount.minor,
        remaining: Math.max(remaining, 0),
        currency: apply.amount.currency,
      });
    }

    /** A refund made by hand settles nothing while the provider has this run's own as well. */
    async function refuseBesideOurs(): Promise<void> {
      const found = await payments.findRefund(paymentId, apply.effectKey);
      if (found && !hasFailed(found.status)) {
        throw new CountersignError(
          'review_contradicted',
          `the provider lists refund ${found.id} of this run; resolve it as paid`,
          { refundId: found.id },
        );
      }
    }

    async function proveUnpaid({ lastSentAt }: Effect): Promise<void> {
      if (Date.now() - lastSentAt < settleDownMs) {
        throw new CountersignError(
          'review_contradicted',
          'the last attempt is less than a minute old and may still arrive; look again then',
        );
      }
      await refuseBesideOurs();
    }
  };
}

function unknownRefund(error: unknown): never {
  if (error instanceof CountersignError && error.code === 'payment_unknown')
    throw new CountersignError('review_contradicted', 'the provider knows no such refund');
  throw error;
}

async function auditStale(unit: Unit, { id, runId, actor }: ReviewOrder, epoch: string): Promise<void> {
  await unit.audit.append({
    runId,
    actor,
    event: 'review_refused',
    step: `apply_review:${id}:${epoch}`,
    reason: 'review_not_open',
  });
}

export function beforeReset(): CountersignError {
  return new CountersignError('review_not_open', 'the run was reset after this order');
}

function unreachable(): never {
  throw new RangeError('an order without a record was refused before');
}

async function authorize(
  unit: Unit,
  authorization: Authorization,
  { runId }: OrderToApply,
  actor: string,
): Promise<void> {
  const run = await unit.runs.find(runId);
  if (!run) throw new CountersignError('not_found');
  const policy = await unit.policies.newest();
  const ask = authorization.under(policy);
  checkReviewer(policy.document.reviewGroup, await unit.people.find(actor), run, ask);
}

/** One refund of the provider pays one run. */
async function refuseIfItPaysAnother(unit: Unit, refundId: string, runId: string): Promise<void> {
  const other = await unit.effects.ofRefund(refundId);
  if (other && other.runId !== runId)
    throw new CountersignError('review_contradicted', `refund ${refundId} pays another run already`);
}

/** The refund that a person names must be of this payment, of this amount, and nobody else's. */
function checkPays(refund: ProviderRefund, { runId, paymentId, amount }: OrderToApply): void {
  const wrong =
    refund.paymentId !== paymentId
      ? 'it is of another payment'
      : refund.runId !== undefined && refund.runId !== runId
        ? 'it belongs to another run'
        : refund.amount.minor !== amount.minor || refund.amount.currency !== amount.currency
          ? 'its amount is another'
          : hasFailed(refund.status)
            ? `it has ${refund.status}`
            : undefined;
  if (wrong !== undefined)
    throw new CountersignError('review_contradicted', `refund ${refund.id} does not pay this run: ${wrong}`);
}

async function record(unit: Unit, order: ReviewOrder, answer: DecisionAnswer, epoch: string): Promise<void> {
  await unit.reviews.answer(order.id, answer, epoch);
  await unit.audit.append({
    runId: order.runId,
    actor: order.actor,
    event: answer.accepted ? `review_${order.action}` : 'review_refused',
    step: `apply_review:${order.id}`,
    ...(answer.code === undefined ? {} : { reason: answer.code }),
    ...(order.refundId === undefined ? {} : { providerId: order.refundId }),
  });
}
