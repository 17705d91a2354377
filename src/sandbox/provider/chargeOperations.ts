import { sql } from 'kysely';
import { z } from 'zod';
import { expanded } from './expansion';
import { newId } from './identifiers';
import { listPage } from './listPage';
import { seconds } from './operation';
import type { Operation, Work } from './operation';
import {
  amount,
  checkStep,
  currency,
  expand,
  flag,
  justExpand,
  listParameters,
  metadata,
  text,
} from './parameters';
import { byCharge, getPayment, noSuchPayment } from './payments';
import type { PaymentReference } from './payments';
import type { ChargeRow, Metadata } from './schema';
import { StripeError, invalidRequest } from './stripeError';
import { chargeView } from './stripeObjects';

export interface NewPayment {
  readonly amount: number;
  readonly currency: string;
  readonly capture: boolean;
  readonly customer: string | undefined;
  readonly description: string | undefined;
  readonly metadata: Metadata | undefined;
}

/** Writes a simulated payment; no card is asked and no money moves. */
export async function makePayment(work: Work, payment: NewPayment): Promise<ChargeRow> {
  checkStep(payment.amount, payment.currency);
  const row = await work.db
    .insertInto('charges')
    .values({
      id: newId('ch'),
      payment_intent: newId('pi'),
      account: work.call.account,
      amount: payment.amount,
      amount_captured: payment.capture ? payment.amount : 0,
      amount_refunded: 0,
      amount_disputed: 0,
      currency: payment.currency,
      captured: payment.capture,
      manual_capture: !payment.capture,
      customer: payment.customer ?? null,
      description: payment.description ?? null,
      metadata: JSON.stringify(payment.metadata ?? {}),
      created: seconds(work.call.atMs),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  work.events.push({ type: 'charge.succeeded', data: { object: chargeView(row) } });
  return row;
}

/**
 * Captures all or a part of an authorization, once; what is not captured is released.
 * @param captured minor units, or undefined for all of it
 */
export async function capturePayment(
  work: Work,
  payment: PaymentReference,
  captured: number | undefined,
): Promise<ChargeRow> {
  const row = await work.db
    .updateTable('charges')
    .set((set) => ({ captured: true, amount_captured: captured ?? set.ref('amount') }))
    .where(payment.column, '=', payment.value)
    .where('account', '=', work.call.account)
    .where('captured', '=', false)
    .where('voided', '=', false)
    .where('amount', '>=', captured ?? 0)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw whyNotCaptured(await getPayment(work, payment), captured);
  checkStep(row.amount_captured, row.currency);
  work.events.push({ type: 'charge.captured', data: { object: chargeView(row) } });
  return row;
}

function whyNotCaptured(charge: ChargeRow, captured: number | undefined): StripeError {
  if (charge.captured) {
    return invalidRequest(`Charge ${charge.id} has already been captured.`, {
      code: 'charge_already_captured',
      charge: charge.id,
    });
  }
  if (charge.voided)
    return invalidRequest(`The authorization of charge ${charge.id} has been released.`, {
      code: 'charge_expired_for_capture',
    });
  return invalidRequest(
    `The amount to capture (${String(captured)}) is more than was authorized (${String(charge.amount)}).`,
    {
      code: 'amount_too_large',
      param: 'amount',
    },
  );
}

const createParameters = z.strictObject({
  amount,
  currency,
  source: text.optional(),
  customer: text.optional(),
  capture: flag.default(true),
  description: text.optional(),
  metadata: metadata.optional(),
  expand,
});

/** Test tokens whose card says no, and how it says it. */
const declines: Readonly<Record<string, string>> = {
  tok_chargeDeclined: 'generic_decline',
  tok_chargeDeclinedInsufficientFunds: 'insufficient_funds',
};

const createCharge: Operation<z.output<typeof createParameters>> = {
  method: 'POST',
  path: '/v1/charges',
  parameters: createParameters,
  async run(work, { source, expand: names, ...payment }) {
    if (source === undefined && payment.customer === undefined)
      throw invalidRequest('Must provide source or customer.');
    const declined = declines[source ?? ''];
    if (declined !== undefined) {
      throw new StripeError(402, {
        type: 'card_error',
        code: 'card_declined',
        decline_code: declined,
        message: 'Your card was declined.',
      });
    }
    const row = await makePayment(work, {
      amount: payment.amount,
      currency: payment.currency,
      capture: payment.capture,
      customer: payment.customer,
      description: payment.description,
      metadata: payment.metadata,
    });
    return expanded(work, chargeView(row), names);
  },
};

const retrieveCharge: Operation<z.output<typeof justExpand>> = {
  method: 'GET',
  path: '/v1/charges/:id',
  parameters: justExpand,
  run: async (work, { expand: names }) =>
    expanded(work, chargeView(await getPayment(work, byCharge(work.id))), names),
};

const chargeList = z.strictObject({
  ...listParameters,
  payment_intent: text.optional(),
  customer: text.optional(),
});

const listCharges: Operation<z.output<typeof chargeList>> = {
  method: 'GET',
  path: '/v1/charges',
  parameters: chargeList,
  async run(work, { payment_intent, customer, expand: names, ...page }) {
    const filters = [
      ...(payment_intent === undefined ? [] : [sql`payment_intent = ${payment_intent}`]),
      ...(customer === undefined ? [] : [sql`customer = ${customer}`]),
    ];
    return expanded(
      work,
      await listPage<ChargeRow>(work, 'charges', '/v1/charges', page, chargeView, filters),
      names,
    );
  },
};

const captureParameters = z.strictObject({ amount: amount.optional(), expand });

const captureCharge: Operation<z.output<typeof captureParameters>> = {
  method: 'POST',
  path: '/v1/charges/:id/capture',
  parameters: captureParameters,
  run: async (work, { amount: captured, expand: names }) =>
    expanded(work, chargeView(await capturePayment(work, byCharge(work.id), captured)), names),
};

const updateParameters = z.strictObject({
  metadata: metadata.optional(),
  description: text.optional(),
  expand,
});

const updateCharge: Operation<z.output<typeof updateParameters>> = {
  method: 'POST',
  path: '/v1/charges/:id',
  parameters: updateParameters,
  async run(work, changes) {
    const payment = byCharge(work.id);
    const current = await getPayment(work, payment);
    const row = await work.db
      .updateTable('charges')
      .set({
        metadata: JSON.stringify(mergeMetadata(current.metadata, changes.metadata)),
        description: changes.description ?? current.description,
      })
      .where('id', '=', current.id)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw noSuchPayment(payment);
    work.events.push({ type: 'charge.updated', data: { object: chargeView(row) } });
    return expanded(work, chargeView(row), changes.expand);
  },
};

/** Keys are added or replaced, and an empty value removes one, as Stripe does it. */
export function mergeMetadata(current: Metadata, changes: Metadata | undefined): Metadata {
  const merged = { ...current, ...changes };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== ''));
}

export const chargeOperations = { createCharge, retrieveCharge, listCharges, captureCharge, updateCharge };
