import { timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { z } from 'zod';
import type { ProviderDatabase } from './database';
import { closeDispute, openDispute } from './disputes';
import type { DueWork } from './dueWork';
import { recordEvents } from './eventRecord';
import type { FaultBook } from './faultBook';
import { faultRequest } from './faultKinds';
import type { NewEvent } from './operation';
import { moveRefund } from './refundChanges';
import { moneySummary, requestQuery, requestReport, summaryQuery } from './requestReport';
import { refundStatuses } from './schema';
import type { ProviderTables } from './schema';
import type { Kysely } from 'kysely';
import { StripeError, invalidRequest, noSuch } from './stripeError';
import type { ProviderEnv } from './stripeApi';
import { chargeView, disputeView, refundView } from './stripeObjects';
import type { StripeObject } from './stripeObjects';

export interface AdminApiParts {
  readonly db: ProviderDatabase;
  readonly faults: FaultBook;
  readonly dueWork: DueWork;
  /** Bearer token of everything under `/sandbox`. */
  readonly adminToken: string;
  readonly now: () => number;
}

const chargeChange = z.strictObject({
  created: z.int().min(0).optional(),
  customer: z.string().max(100).nullable().optional(),
});
const refundChange = z.strictObject({
  status: z.enum(refundStatuses),
  failureReason: z.string().max(100).optional(),
});
const disputeRequest = z.strictObject({
  charge: z.string().max(100),
  amount: z.int().min(1).optional(),
  reason: z.string().max(100).optional(),
  inquiry: z.boolean().optional(),
});
const disputeClosing = z.strictObject({ outcome: z.enum(['won', 'lost']) });
const keyQuery = z.strictObject({ key: z.string().max(255).optional() });

/** The part that only a sandbox has: faults, the request log, and what banks and time do to payments. JSON. */
export function adminApi(parts: AdminApiParts): Hono<ProviderEnv> {
  const { db, faults, dueWork, now } = parts;
  const api = new Hono<ProviderEnv>();

  api.use('/sandbox/*', async (c, next) => {
    if (!sameSecret(c.req.header('authorization') ?? '', `Bearer ${parts.adminToken}`)) {
      throw new StripeError(401, {
        type: 'invalid_request_error',
        message: 'The sandbox needs its own admin token as a bearer token.',
      });
    }
    await next();
  });

  api.get('/sandbox/faults', async (c) => c.json({ items: await faults.list() }));
  api.post('/sandbox/faults', async (c) =>
    c.json(await faults.add(await bodyOf(c, faultRequest), now()), 201),
  );
  api.delete('/sandbox/faults', async (c) => c.json({ cleared: await faults.clear() }));
  api.delete('/sandbox/faults/:id{[0-9]+}', async (c) => {
    if ((await faults.clear(Number(c.req.param('id')))) === 0) throw noSuch('fault', c.req.param('id'));
    return c.json({ cleared: 1 });
  });

  api.get('/sandbox/requests', async (c) =>
    c.json(await requestReport(db, parsed(requestQuery, c.req.query()))),
  );
  api.get('/sandbox/summary', async (c) =>
    c.json(await moneySummary(db, parsed(summaryQuery, c.req.query()).charge)),
  );

  api.post('/sandbox/charges/:id', async (c) => {
    const { created, customer } = await bodyOf(c, chargeChange);
    const row = await db
      .updateTable('charges')
      .set((set) => ({
        created: created ?? set.ref('created'),
        customer: customer === undefined ? set.ref('customer') : customer,
      }))
      .where('id', '=', c.req.param('id'))
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw noSuch('charge', c.req.param('id'));
    return c.json(chargeView(row));
  });

  api.post('/sandbox/refunds/:id', async (c) => {
    const id = c.req.param('id');
    const { status, failureReason } = await bodyOf(c, refundChange);
    const view = await withEvents(async (tx, events) => {
      const before = await tx.selectFrom('refunds').selectAll().where('id', '=', id).executeTakeFirst();
      if (before === undefined) throw noSuch('refund', id);
      const row = await moveRefund(tx, events, id, status, failureReason);
      if (row === undefined)
        throw invalidRequest(`Refund ${id} can't become ${status}: it is ${before.status}.`, {
          code: 'status_transition_invalid',
        });
      return { account: row.account, view: refundView(row) };
    });
    return c.json(view);
  });

  api.post('/sandbox/disputes', async (c) => {
    const { charge, ...dispute } = await bodyOf(c, disputeRequest);
    const view = await withEvents(async (tx, events) => {
      const row = await tx
        .selectFrom('charges')
        .selectAll()
        .where((where) => where.or([where('id', '=', charge), where('payment_intent', '=', charge)]))
        .forUpdate()
        .executeTakeFirst();
      if (row === undefined) throw noSuch('charge', charge, 'charge');
      return { account: row.account, view: disputeView(await openDispute(tx, events, row, dispute, now())) };
    });
    return c.json(view, 201);
  });

  api.post('/sandbox/disputes/:id/close', async (c) => {
    const { outcome } = await bodyOf(c, disputeClosing);
    const view = await withEvents(async (tx, events) => {
      const row = await closeDispute(tx, events, c.req.param('id'), outcome);
      return { account: row.account, view: disputeView(row) };
    });
    return c.json(view);
  });

  /** Forgets idempotency keys as time would, one or all. */
  api.delete('/sandbox/idempotency_keys', async (c) => {
    const { key } = parsed(keyQuery, c.req.query());
    const query = db.deleteFrom('idempotency_keys');
    const result = await (key === undefined ? query : query.where('key', '=', key)).executeTakeFirst();
    return c.json({ forgotten: Number(result.numDeletedRows) });
  });

  async function withEvents(
    change: (
      tx: Kysely<ProviderTables>,
      events: NewEvent[],
    ) => Promise<{ account: string; view: StripeObject }>,
  ): Promise<StripeObject> {
    const view = await db.transaction().execute(async (tx) => {
      const events: NewEvent[] = [];
      const done = await change(tx, events);
      await recordEvents(
        tx,
        faults,
        { account: done.account, requestId: null, idempotencyKey: null, atMs: now() },
        events,
      );
      return done.view;
    });
    dueWork.wake();
    return view;
  }
  return api;
}

function sameSecret(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function bodyOf<T>(c: Context, schema: z.ZodType<T>): Promise<T> {
  const body: unknown = await c.req.json().catch(() => {
    throw invalidRequest('The body is not JSON.');
  });
  return parsed(schema, body);
}

function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidRequest(z.prettifyError(result.error));
}
