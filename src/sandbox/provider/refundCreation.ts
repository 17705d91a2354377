import { sql } from 'kysely';
import { z } from 'zod';
import { expanded } from './expansion';
import type { ExecutionFaults, FaultSettings } from './faultKinds';
import { newId } from './identifiers';
import { seconds } from './operation';
import type { Operation, Work } from './operation';
import { amount, checkStep, displayAmount, expand, metadata, text } from './parameters';
import { byCharge, byIntent, findPayment, noSuchPayment } from './payments';
import type { PaymentReference } from './payments';
import type { ChargeRow, RefundRow, RefundStatus } from './schema';
import { invalidRequest } from './stripeError';
import type { StripeError } from './stripeError';
import { chargeView, refundView, refundable } from './stripeObjects';

const createParameters = z.strictObject({
  charge: text.optional(),
  payment_intent: text.optional(),
  amount: amount.optional(),
  reason: z
    .enum(
      ['duplicate', 'fraudulent', 'requested_by_customer'],
      'must be one of duplicate, fraudulent, or requested_by_customer',
    )
    .optional(),
  metadata: metadata.optional(),
  expand,
});

export const createRefund: Operation<z.output<typeof createParameters>> = {
  method: 'POST',
  path: '/v1/refunds',
  parameters: createParameters,
  async run(work, parameters) {
    const payment = paymentOf(parameters);
    const course = courseOf(work.faults, work.call.atMs);
    const charge = await takeFromCharge(work, payment, parameters.amount);
    const { refunded } = charge;
    checkStep(refunded, charge.row.currency);
    const refund = await work.db
      .insertInto('refunds')
      .values({
        id: newId('re'),
        account: work.call.account,
        charge: charge.row.id,
        payment_intent: charge.row.payment_intent,
        amount: refunded,
        currency: charge.row.currency,
        reason: parameters.reason ?? null,
        metadata: JSON.stringify(parameters.metadata ?? {}),
        created: seconds(work.call.atMs),
        ...course,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    work.events.push(
      { type: 'refund.created', data: { object: refundView(refund) } },
      {
        type: 'charge.refunded',
        data: {
          object: chargeView(charge.row),
          previous_attributes: { amount_refunded: charge.row.amount_refunded - refunded },
        },
      },
    );
    return expanded(work, refundView(refund), parameters.expand);
  },
};

function paymentOf(parameters: {
  charge?: string | undefined;
  payment_intent?: string | undefined;
}): PaymentReference {
  const { charge, payment_intent } = parameters;
  if (charge !== undefined && payment_intent !== undefined) {
    throw invalidRequest('You may only specify one of these parameters: charge, payment_intent.', {
      code: 'parameters_exclusive',
    });
  }
  if (charge !== undefined) return byCharge(charge);
  if (payment_intent !== undefined) return byIntent(payment_intent);
  throw invalidRequest(
    'One of the following params should be provided for this request: payment_intent or charge.',
    {
      code: 'parameter_missing',
      param: 'payment_intent',
    },
  );
}

/**
 * Checks and takes in one conditional statement, so that no order of concurrent refunds gives back more than
 * was captured.
 * @param asked minor units, or undefined for all that is left
 */
async function takeFromCharge(
  work: Work,
  payment: PaymentReference,
  asked: number | undefined,
): Promise<{ row: ChargeRow; refunded: number }> {
  const refunded = asked ?? (await remainderLocked(work, payment));
  const row = await work.db
    .updateTable('charges')
    .set((set) => ({ amount_refunded: set('amount_refunded', '+', refunded) }))
    .where(payment.column, '=', payment.value)
    .where('account', '=', work.call.account)
    .where(sql<boolean>`amount_refunded + amount_disputed + ${refunded} <= amount_captured`)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) return { row, refunded };
  const charge = await findPayment(work.db, work.call.account, payment);
  if (charge === undefined)
    throw noSuchPayment(payment, payment.column === 'id' ? 'charge' : 'payment_intent');
  throw whyNotRefunded(charge, payment, refunded);
}

/** Holds the row, so that what is left stays so until this transaction ends. */
async function remainderLocked(work: Work, payment: PaymentReference): Promise<number> {
  const row = await work.db
    .selectFrom('charges')
    .selectAll()
    .where(payment.column, '=', payment.value)
    .where('account', '=', work.call.account)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw noSuchPayment(payment, payment.column === 'id' ? 'charge' : 'payment_intent');
  const left = refundable(row);
  if (left === 0) throw whyNotRefunded(row, payment, 0);
  return left;
}

function whyNotRefunded(charge: ChargeRow, payment: PaymentReference, asked: number): StripeError {
  if (!charge.captured) {
    const state = charge.voided ? 'was canceled' : 'has not been captured';
    return payment.column === 'payment_intent'
      ? invalidRequest(`This PaymentIntent (${payment.value}) does not have a successful charge to refund.`, {
          param: 'payment_intent',
        })
      : invalidRequest(`Charge ${charge.id} ${state} and cannot be refunded.`, {
          code: 'charge_not_refundable',
          charge: charge.id,
        });
  }
  if (charge.amount_refunded >= charge.amount_captured) {
    return invalidRequest(`Charge ${charge.id} has already been refunded.`, {
      code: 'charge_already_refunded',
      charge: charge.id,
    });
  }
  if (charge.amount_disputed > 0 && charge.amount_captured - charge.amount_refunded >= asked) {
    return invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
      charge: charge.id,
    });
  }
  const [wanted, left] = [asked, charge.amount_captured - charge.amount_refunded].map((value) =>
    displayAmount(value, charge.currency),
  );
  return invalidRequest(
    `Refund amount (${wanted ?? ''}) is greater than unrefunded amount on charge (${left ?? ''})`,
    {
      param: 'amount',
      charge: charge.id,
    },
  );
}

type RefundCourse = Pick<RefundRow, 'status' | 'pending_reason' | 'failure_reason' | 'due_status' | 'due_ms'>;

/** How this refund goes, by the faults asked for. Without one it succeeds at once, as a card refund does. */
function courseOf(faults: ExecutionFaults, atMs: number): RefundCourse {
  const start = (
    status: RefundStatus,
    becomes: RefundStatus,
    settings: FaultSettings,
    pending_reason: string | null = null,
  ): RefundCourse => ({
    status,
    pending_reason,
    // Known from the start here, shown once it has failed.
    failure_reason: becomes === 'failed' ? (settings.failureReason ?? null) : null,
    due_status: settings.afterMs === undefined ? null : becomes,
    due_ms: settings.afterMs === undefined ? null : atMs + settings.afterMs,
  });
  const poor = faults.get('insufficient_balance');
  if (poor?.as === 'pending') return start('pending', 'succeeded', poor, 'insufficient_funds');
  if (poor !== undefined) {
    throw invalidRequest('Your available balance is not enough to pay for this refund.', {
      code: 'balance_insufficient',
    });
  }
  const action = faults.get('requires_action');
  if (action !== undefined) return start('requires_action', 'succeeded', action);
  const pending = faults.get('refund_pending');
  if (pending !== undefined)
    return start(
      'pending',
      pending.failureReason === undefined ? 'succeeded' : 'failed',
      pending,
      'processing',
    );
  return start('succeeded', 'failed', faults.get('refund_fails_later') ?? {});
}
