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
    const { charge, refund } = await takeFromCharge(work, payment, parameters, course);
    checkStep(refund.amount, charge.currency);
    work.events.push(
      { type: 'refund.created', data: { object: refundView(refund) } },
      {
        type: 'charge.refunded',
        data: {
          object: chargeView(charge),
          previous_attributes: { amount_refunded: charge.amount_refunded - refund.amount },
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
 * Checks, takes and writes the refund in one conditional statement, so that no order of concurrent refunds
 * gives back more than was captured. Without an amount it takes all that is left.
 */
async function takeFromCharge(
  work: Work,
  payment: PaymentReference,
  parameters: z.output<typeof createParameters>,
  course: RefundCourse,
): Promise<{ charge: ChargeRow; refund: RefundRow }> {
  const { account, atMs } = work.call;
  const amount = parameters.amount ?? (await remainderLocked(work, payment));
  const { rows } = await sql<{ charge: ChargeRow; refund: RefundRow }>`
    with taken as (
      update charges set amount_refunded = amount_refunded + ${amount}::bigint
      where ${sql.ref(payment.column)} = ${payment.value} and account = ${account}
        and amount_refunded + amount_disputed + ${amount}::bigint <= amount_captured
      returning *
    ), made as (
      insert into refunds (id, account, charge, payment_intent, amount, currency, reason, metadata, created,
        status, pending_reason, failure_reason, due_status, due_ms)
      select ${newId('re')}, account, id, payment_intent, ${amount}::bigint, currency, ${parameters.reason ?? null},
        ${JSON.stringify(parameters.metadata ?? {})}::json, ${seconds(atMs)}::bigint,
        ${course.status}, ${course.pending_reason}, ${course.failure_reason}, ${course.due_status}, ${course.due_ms}::bigint
      from taken
      returning *
    )
    select row_to_json(taken) as charge, row_to_json(made) as refund from taken, made`.execute(work.db);
  if (rows[0] !== undefined) return rows[0];
  const charge = await findPayment(work.db, account, payment);
  if (charge === undefined)
    throw noSuchPayment(payment, payment.column === 'id' ? 'charge' : 'payment_intent');
  throw whyNotRefunded(charge, payment, amount);
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
