import { sql } from 'kysely';
import { z } from 'zod';
import { expanded } from './expansion';
import { newId } from './identifiers';
import { listPage } from './listPage';
import { seconds } from './operation';
import type { NewEvent, Operation, Work } from './operation';
import { justExpand, listParameters, text } from './parameters';
import type { ChargeRow, DisputeRow } from './schema';
import { invalidRequest, noSuch } from './stripeError';
import { disputeView } from './stripeObjects';

export interface NewDispute {
  /** Minor units; left out, all that was captured and not refunded. */
  readonly amount?: number | undefined;
  readonly reason?: string | undefined;
  /** An inquiry withdraws no money yet, and the charge stays refundable. */
  readonly inquiry?: boolean | undefined;
}

/**
 * Opens a dispute, as the customer's bank would.
 * @throws StripeError 400 where the charge has nothing to dispute
 */
export async function openDispute(
  db: Work['db'],
  events: NewEvent[],
  charge: ChargeRow,
  dispute: NewDispute,
  atMs: number,
): Promise<DisputeRow> {
  const left = charge.amount_captured - charge.amount_refunded - charge.amount_disputed;
  const amount = dispute.amount ?? left;
  // A bank may dispute what was refunded before, but not more than was paid.
  const inquiry = dispute.inquiry === true;
  const held = inquiry ? 0 : amount;
  const updated = await db
    .updateTable('charges')
    .set((set) => ({ amount_disputed: set('amount_disputed', '+', held), ever_disputed: true }))
    .where('id', '=', charge.id)
    .where('captured', '=', true)
    .where((where) => where(where('amount_disputed', '+', amount), '<=', where.ref('amount_captured')))
    .executeTakeFirst();
  if (amount <= 0 || updated.numUpdatedRows === 0n) {
    throw invalidRequest(`Charge ${charge.id} has no such amount to dispute.`, {
      param: 'amount',
      charge: charge.id,
    });
  }
  const row = await db
    .insertInto('disputes')
    .values({
      id: newId('dp'),
      account: charge.account,
      charge: charge.id,
      payment_intent: charge.payment_intent,
      amount,
      currency: charge.currency,
      reason: dispute.reason ?? 'general',
      status: inquiry ? 'warning_needs_response' : 'needs_response',
      created: seconds(atMs),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  events.push({ type: 'charge.dispute.created', data: { object: disputeView(row) } });
  if (!inquiry) events.push({ type: 'charge.dispute.funds_withdrawn', data: { object: disputeView(row) } });
  return row;
}

/** Ends a dispute. One that is won gives its amount back to what can be refunded; one that is lost never does. */
export async function closeDispute(
  db: Work['db'],
  events: NewEvent[],
  id: string,
  outcome: 'won' | 'lost',
): Promise<DisputeRow> {
  const before = await db
    .selectFrom('disputes')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (before === undefined) throw noSuch('dispute', id);
  if (before.status === 'won' || before.status === 'lost')
    throw invalidRequest(`This dispute is already closed (${before.status}).`);
  const held = before.status === 'needs_response' ? before.amount : 0;
  const holdsNow = outcome === 'lost' ? before.amount : 0;
  await db
    .updateTable('charges')
    .set((set) => ({ amount_disputed: set('amount_disputed', '+', holdsNow - held) }))
    .where('id', '=', before.charge)
    .execute();
  const row = await db
    .updateTable('disputes')
    .set({ status: outcome })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (outcome === 'won' && held > 0)
    events.push({ type: 'charge.dispute.funds_reinstated', data: { object: disputeView(row) } });
  events.push({
    type: 'charge.dispute.closed',
    data: { object: disputeView(row), previous_attributes: { status: before.status } },
  });
  return row;
}

async function getDispute(work: Work): Promise<DisputeRow> {
  const row = await work.db
    .selectFrom('disputes')
    .selectAll()
    .where('id', '=', work.id)
    .where('account', '=', work.call.account)
    .executeTakeFirst();
  if (row === undefined) throw noSuch('dispute', work.id);
  return row;
}

const retrieveDispute: Operation<z.output<typeof justExpand>> = {
  method: 'GET',
  path: '/v1/disputes/:id',
  parameters: justExpand,
  run: async (work, { expand: names }) => expanded(work, disputeView(await getDispute(work)), names),
};

const disputeList = z.strictObject({
  ...listParameters,
  charge: text.optional(),
  payment_intent: text.optional(),
});

const listDisputes: Operation<z.output<typeof disputeList>> = {
  method: 'GET',
  path: '/v1/disputes',
  parameters: disputeList,
  async run(work, { charge, payment_intent, expand: names, ...page }) {
    const filters = [
      ...(charge === undefined ? [] : [sql`charge = ${charge}`]),
      ...(payment_intent === undefined ? [] : [sql`payment_intent = ${payment_intent}`]),
    ];
    return expanded(
      work,
      await listPage<DisputeRow>(work, 'disputes', '/v1/disputes', page, disputeView, filters),
      names,
    );
  },
};

/** Stripe's own close: it accepts the loss. */
const acceptDispute: Operation<z.output<typeof justExpand>> = {
  method: 'POST',
  path: '/v1/disputes/:id/close',
  parameters: justExpand,
  async run(work, { expand: names }) {
    const { id } = await getDispute(work);
    return expanded(work, disputeView(await closeDispute(work.db, work.events, id, 'lost')), names);
  },
};

export const disputeOperations = { retrieveDispute, listDisputes, acceptDispute };
