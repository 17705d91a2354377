import { sql } from 'kysely';
import { z } from 'zod';
import { listPage } from './listPage';
import type { Operation } from './operation';
import { justExpand, listParameters, text } from './parameters';
import type { EventRow } from './schema';
import { noSuch } from './stripeError';
import type { StripeObject } from './stripeObjects';

export const simulatedApiVersion = '2026-10-28.endive';

export function eventView(event: EventRow, pendingWebhooks = 0): StripeObject {
  return {
    id: event.id,
    object: 'event',
    api_version: simulatedApiVersion,
    created: event.created,
    data: event.data,
    livemode: false,
    pending_webhooks: pendingWebhooks,
    request: { id: event.request_id, idempotency_key: event.idempotency_key },
    type: event.type,
  };
}

const retrieveEvent: Operation<z.output<typeof justExpand>> = {
  method: 'GET',
  path: '/v1/events/:id',
  parameters: justExpand,
  async run(work) {
    const row = await work.db
      .selectFrom('events')
      .selectAll()
      .where('id', '=', work.id)
      .where('account', '=', work.call.account)
      .executeTakeFirst();
    if (row === undefined) throw noSuch('event', work.id);
    return eventView(row);
  },
};

const eventList = z.strictObject({
  ...listParameters,
  type: text.optional(),
  types: z.array(text).max(20).optional(),
});

const listEvents: Operation<z.output<typeof eventList>> = {
  method: 'GET',
  path: '/v1/events',
  parameters: eventList,
  async run(work, { type, types, ...page }) {
    const wanted = [...(type === undefined ? [] : [type]), ...(types ?? [])];
    // `charge.*` asks for all of a kind, as in Stripe's API.
    const patterns = wanted.map((name) => name.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%'));
    const filters = patterns.length === 0 ? [] : [sql`type like any (${patterns})`];
    return listPage<EventRow>(work, 'events', '/v1/events', page, (row) => eventView(row), filters);
  },
};

export const eventOperations = { retrieveEvent, listEvents };
