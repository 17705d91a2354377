import { sql } from 'kysely';
import { z } from 'zod';
import { mergeMetadata } from './chargeOperations';
import { expanded } from './expansion';
import { listPage } from './listPage';
import type { NewEvent, Operation, Work } from './operation';
import { expand, justExpand, listParameters, metadata, text } from './parameters';
import type { RefundRow, RefundStatus } from './schema';
import { invalidRequest, noSuch } from './stripeError';
import { refundView } from './stripeObjects';

/** From which states a refund may come into each; failed and canceled are final. */
const comesFrom: Readonly<Record<RefundStatus, readonly RefundStatus[]>> = {
  pending: ['requires_action'],
  requires_action: ['pending'],
  succeeded: ['pending', 'requires_action'],
  failed: ['pending', 'requires_action', 'succeeded'],
  canceled: ['pending', 'requires_action'],
};

/**
 * Moves a refund on. One that failed or was canceled gives its amount back to the charge in the same transaction.
 * @returns the refund as it is now, or undefined when it isn't in a state that leads there
 */
export async function moveRefund(
  db: Work['db'],
  events: NewEvent[],
  id: string,
  status: RefundStatus,
  failureReason?: string,
): Promise<RefundRow | undefined> {
  const before = await db
    .selectFrom('refunds')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (before === undefined || !comesFrom[status].includes(before.status)) return undefined;
  const refund = await db
    .updateTable('refunds')
    .set({
      status,
      pending_reason: status === 'pending' ? 'processing' : null,
      failure_reason:
        status === 'failed'
          ? (failureReason ?? before.failure_reason ?? 'unknown')
          : status === 'canceled'
            ? 'merchant_request'
            : null,
      due_status: null,
      due_ms: null,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (status === 'failed' || status === 'canceled') {
    await db
      .updateTable('charges')
      .set((set) => ({ amount_refunded: set('amount_refunded', '-', refund.amount) }))
      .where('id', '=', refund.charge)
      .execute();
  }
  const data = { object: refundView(refund), previous_attributes: { status: before.status } };
  for (const type of [
    'refund.updated',
    'charge.refund.updated',
    ...(status === 'failed' ? ['refund.failed'] : []),
  ]) {
    events.push({ type, data });
  }
  return refund;
}

async function getRefund(work: Work): Promise<RefundRow> {
  const row = await work.db
    .selectFrom('refunds')
    .selectAll()
    .where('id', '=', work.id)
    .where('account', '=', work.call.account)
    .executeTakeFirst();
  if (row === undefined) throw noSuch('refund', work.id);
  return row;
}

const retrieveRefund: Operation<z.output<typeof justExpand>> = {
  method: 'GET',
  path: '/v1/refunds/:id',
  parameters: justExpand,
  run: async (work, { expand: names }) => expanded(work, refundView(await getRefund(work)), names),
};

const refundList = z.strictObject({
  ...listParameters,
  charge: text.optional(),
  payment_intent: text.optional(),
});

const listRefunds: Operation<z.output<typeof refundList>> = {
  method: 'GET',
  path: '/v1/refunds',
  parameters: refundList,
  async run(work, { charge, payment_intent, expand: names, ...page }) {
    const filters = [
      ...(charge === undefined ? [] : [sql`charge = ${charge}`]),
      ...(payment_intent === undefined ? [] : [sql`payment_intent = ${payment_intent}`]),
    ];
    return expanded(
      work,
      await listPage<RefundRow>(work, 'refunds', '/v1/refunds', page, refundView, filters),
      names,
    );
  },
};

const updateParameters = z.strictObject({ metadata: metadata.optional(), expand });

const updateRefund: Operation<z.output<typeof updateParameters>> = {
  method: 'POST',
  path: '/v1/refunds/:id',
  parameters: updateParameters,
  async run(work, changes) {
    const current = await getRefund(work);
    const row = await work.db
      .updateTable('refunds')
      .set({ metadata: JSON.stringify(mergeMetadata(current.metadata, changes.metadata)) })
      .where('id', '=', current.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    work.events.push({
      type: 'refund.updated',
      data: { object: refundView(row), previous_attributes: { metadata: current.metadata } },
    });
    return expanded(work, refundView(row), changes.expand);
  },
};

const cancelRefund: Operation<z.output<typeof justExpand>> = {
  method: 'POST',
  path: '/v1/refunds/:id/cancel',
  parameters: justExpand,
  async run(work, { expand: names }) {
    const { id, status } = await getRefund(work);
    // Stripe cancels only those that wait for the customer.
    const row =
      status === 'requires_action' ? await moveRefund(work.db, work.events, id, 'canceled') : undefined;
    if (row === undefined)
      throw invalidRequest(`Refund ${id} cannot be canceled: its status is ${status}.`, {
        code: 'status_transition_invalid',
      });
    return expanded(work, refundView(row), names);
  },
};

export const refundOperations = { retrieveRefund, listRefunds, updateRefund, cancelRefund };
