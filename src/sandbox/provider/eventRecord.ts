import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import { webhookKinds } from './faultKinds';
import type { FaultBook } from './faultBook';
import { newId } from './identifiers';
import { paymentsOf } from './payments';
import { seconds } from './operation';
import type { NewEvent } from './operation';
import type { ProviderTables } from './schema';

export interface EventOrigin {
  readonly account: string;
  readonly requestId: string | null;
  readonly idempotencyKey: string | null;
  readonly atMs: number;
}

/** A reordered webhook waits for another one to overtake it, at most this long (milliseconds). */
const overtakenWithinMs = 5_000;

export interface PlannedWebhooks {
  /** Deliveries that must be tried before the call that caused them is answered. */
  readonly beforeAnswer: number[];
  readonly planned: boolean;
}

export interface WrittenEvent {
  readonly id: string;
  readonly type: string;
  /** The charge and payment intent that it is about. */
  readonly payments: readonly string[];
}

export interface InterestedEndpoint {
  readonly id: string;
  readonly enabled_events: string[];
}

/** Events with their ids, and the statement that writes them, for use alone or within a larger one. */
export function eventInsert(
  origin: EventOrigin,
  events: readonly NewEvent[],
): { written: WrittenEvent[]; insert: RawBuilder<unknown> } {
  const rows = events.map(({ type, data }) => ({
    id: newId('evt'),
    type,
    object_id: String(data.object['id']),
    data: JSON.stringify(data),
  }));
  const insert = sql`
    insert into events (id, account, type, object_id, data, request_id, idempotency_key, created)
    select e.id, ${origin.account}, e.type, e.object_id, e.data::json, ${origin.requestId}, ${origin.idempotencyKey}, ${seconds(origin.atMs)}::bigint
    from json_to_recordset(${JSON.stringify(rows)}::json) as e (id text, type text, object_id text, data text)`;
  const written = rows.map(({ id, type }, index) => {
    const { id: objectId, ...object } = events[index]?.data.object ?? {};
    return { id, type, payments: paymentsOf(object, String(objectId)) };
  });
  return { written, insert };
}

/** The account's endpoints as one JSON value, for a statement that writes events. */
export function endpointsOf(account: string): RawBuilder<unknown> {
  return sql`(
    select coalesce(json_agg(json_build_object('id', id, 'enabled_events', enabled_events) order by seq), '[]')
    from webhook_endpoints where account = ${account} and enabled)`;
}

/** Writes events that no call caused, and plans their webhooks. */
export async function recordEvents(
  db: Kysely<ProviderTables>,
  faults: FaultBook,
  origin: EventOrigin,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const { written, insert } = eventInsert(origin, events);
  const { rows } = await sql<{ endpoints: InterestedEndpoint[] }>`
    with written as (${insert}) select ${endpointsOf(origin.account)} as endpoints`.execute(db);
  await planWebhooks(db, faults, origin.atMs, written, rows[0]?.endpoints ?? []);
}

/** Plans the webhooks of events within the transaction of their effect, as the faults want them. */
export async function planWebhooks(
  db: Kysely<ProviderTables>,
  faults: FaultBook,
  atMs: number,
  events: readonly WrittenEvent[],
  endpoints: readonly InterestedEndpoint[],
): Promise<PlannedWebhooks> {
  const beforeAnswer: number[] = [];
  let planned = false;
  for (const endpoint of endpoints) {
    for (const { id, type, payments } of events) {
      if (!endpoint.enabled_events.some((wanted) => wanted === '*' || wanted === type)) continue;
      planned = true;
      const taken = new Map(
        (await faults.take(webhookKinds, { event: type, payments }, db)).map((fault) => [
          fault.kind,
          fault.settings,
        ]),
      );
      if (taken.has('webhook_never')) continue;
      const held = taken.get('webhook_reorder');
      const waitMs =
        held === undefined ? (taken.get('webhook_delay')?.ms ?? 0) : (held.ms ?? overtakenWithinMs);
      const delivery = {
        event: id,
        endpoint: endpoint.id,
        status: 'waiting' as const,
        held: held !== undefined,
        due_ms: atMs + waitMs,
        last_result: null,
      };
      const copies = taken.has('webhook_duplicate') ? [delivery, delivery] : [delivery];
      const written = await db.insertInto('webhook_deliveries').values(copies).returning('id').execute();
      if (taken.has('webhook_before_response')) beforeAnswer.push(...written.map((row) => row.id));
    }
  }
  return { beforeAnswer, planned };
}
