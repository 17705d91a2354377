import { sql } from 'kysely';
import { z } from 'zod';
import { capturePayment, makePayment } from './chargeOperations';
import { expanded } from './expansion';
import { listPage } from './listPage';
import type { Operation } from './operation';
import { amount, currency, expand, flag, justExpand, listParameters, metadata, text } from './parameters';
import { byIntent, getPayment } from './payments';
import type { ChargeRow } from './schema';
import { invalidRequest } from './stripeError';
import { paymentIntentView } from './stripeObjects';

const createParameters = z.strictObject({
  amount,
  currency,
  confirm: flag.default(false),
  payment_method: text.optional(),
  payment_method_types: z.array(text).optional(),
  capture_method: z.enum(['automatic', 'automatic_async', 'manual']).default('automatic'),
  customer: text.optional(),
  description: text.optional(),
  metadata: metadata.optional(),
  expand,
});

const createIntent: Operation<z.output<typeof createParameters>> = {
  method: 'POST',
  path: '/v1/payment_intents',
  parameters: createParameters,
  async run(work, payment) {
    if (!payment.confirm || payment.payment_method === undefined) {
      throw invalidRequest(
        'This sandbox makes payment intents only with confirm=true and a payment_method.',
        { param: 'confirm' },
      );
    }
    const row = await makePayment(work, {
      amount: payment.amount,
      currency: payment.currency,
      capture: payment.capture_method !== 'manual',
      customer: payment.customer,
      description: payment.description,
      metadata: payment.metadata,
    });
    if (row.captured)
      work.events.push({ type: 'payment_intent.succeeded', data: { object: paymentIntentView(row) } });
    return expanded(work, paymentIntentView(row), payment.expand);
  },
};

const retrieveParameters = justExpand.extend({ client_secret: text.optional() });

const retrieveIntent: Operation<z.output<typeof retrieveParameters>> = {
  method: 'GET',
  path: '/v1/payment_intents/:id',
  parameters: retrieveParameters,
  run: async (work, { expand: names }) =>
    expanded(work, paymentIntentView(await getPayment(work, byIntent(work.id), 'intent')), names),
};

const intentList = z.strictObject({ ...listParameters, customer: text.optional() });

const listIntents: Operation<z.output<typeof intentList>> = {
  method: 'GET',
  path: '/v1/payment_intents',
  parameters: intentList,
  async run(work, { customer, expand: names, starting_after, ending_before, ...page }) {
    // The rows are keyed by charge; the cursor that a caller holds is the intent's id.
    const cursors = {
      starting_after:
        starting_after && (await getPayment(work, byIntent(starting_after), 'starting_after')).id,
      ending_before: ending_before && (await getPayment(work, byIntent(ending_before), 'ending_before')).id,
    };
    const filters = customer === undefined ? [] : [sql`customer = ${customer}`];
    const list = await listPage<ChargeRow>(
      work,
      'charges',
      '/v1/payment_intents',
      { ...page, ...cursors },
      paymentIntentView,
      filters,
    );
    return expanded(work, list, names);
  },
};

const captureParameters = z.strictObject({ amount_to_capture: amount.optional(), expand });

const captureIntent: Operation<z.output<typeof captureParameters>> = {
  method: 'POST',
  path: '/v1/payment_intents/:id/capture',
  parameters: captureParameters,
  async run(work, { amount_to_capture, expand: names }) {
    const row = await capturePayment(work, byIntent(work.id), amount_to_capture);
    work.events.push({ type: 'payment_intent.succeeded', data: { object: paymentIntentView(row) } });
    return expanded(work, paymentIntentView(row), names);
  },
};

const cancelParameters = z.strictObject({ cancellation_reason: text.optional(), expand });

const cancelIntent: Operation<z.output<typeof cancelParameters>> = {
  method: 'POST',
  path: '/v1/payment_intents/:id/cancel',
  parameters: cancelParameters,
  async run(work, { expand: names }) {
    const row = await work.db
      .updateTable('charges')
      .set({ voided: true })
      .where('payment_intent', '=', work.id)
      .where('account', '=', work.call.account)
      .where('captured', '=', false)
      .where('voided', '=', false)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) {
      const { status } = paymentIntentView(await getPayment(work, byIntent(work.id), 'intent'));
      throw invalidRequest(
        `You cannot cancel this PaymentIntent because it has a status of ${String(status)}.`,
        {
          code: 'payment_intent_unexpected_state',
        },
      );
    }
    work.events.push({ type: 'payment_intent.canceled', data: { object: paymentIntentView(row) } });
    return expanded(work, paymentIntentView(row), names);
  },
};

export const paymentIntentOperations = {
  createIntent,
  retrieveIntent,
  listIntents,
  captureIntent,
  cancelIntent,
};
