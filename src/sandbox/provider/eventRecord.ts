import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { webhookKinds } from './faultKinds';
import type { FaultBook } from './faultBook';
import { newId } from './identifiers';
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

export interface RecordedEvents {
  /** Deliveries that must be tried before the call that caused them is answered. */
  readonly beforeAnswer: number[];
  readonly planned: boolean;
}

/** Writes events and the webhooks they cause into the transaction of their effect. */
export async function recordEvents(
  db: Kysely<ProviderTables>,
  faults: FaultBook,
  origin: EventOrigin,
  events: readonly NewEvent[],
): Promise<RecordedEvents> {
  if (events.length === 0) return { beforeAnswer: [], planned: false };
  const rows = events.map(({ type, data }) => ({
    id: newId('evt'),
    account: origin.account,
    type,
    object_id: String(data.object['id']),
    data: JSON.stringify(data),
    request_id: origin.requestId,
    idempotency_key: origin.idempotencyKey,
    created: seconds(origin.atMs),
  }));
  const { rows: endpoints } = await sql<{ id: string; enabled_events: string[] }>`
    with written as (
      insert into events (id, account, type, object_id, data, request_id, idempotency_key, created)
      select e.id, e.account, e.type, e.object_id, e.data::json, e.request_id, e.idempotency_key, e.created
      from json_to_recordset(${JSON.stringify(rows)}::json) as
        e (id text, account text, type text, object_id text, data text, request_id text, idempotency_key text, created bigint)
    )
    select id, enabled_events from webhook_endpoints where account = ${origin.account} and enabled order by seq`.execute(
    db,
  );

  const beforeAnswer: number[] = [];
  let planned = false;
  for (const endpoint of endpoints) {
    for (const { id, type } of rows) {
      if (!endpoint.enabled_events.some((wanted) => wanted === '*' || wanted === type)) continue;
      planned = true;
      const taken = new Map(
        (await faults.take(webhookKinds, { event: type }, db)).map((fault) => [fault.kind, fault.settings]),
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
        due_ms: origin.atMs + waitMs,
        last_result: null,
      };
      const copies = taken.has('webhook_duplicate') ? [delivery, delivery] : [delivery];
      const written = await db.insertInto('webhook_deliveries').values(copies).returning('id').execute();
      if (taken.has('webhook_before_response')) beforeAnswer.push(...written.map((row) => row.id));
    }
  }
  return { beforeAnswer, planned };
}
