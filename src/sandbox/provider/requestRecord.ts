import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import { endpointsOf } from './eventRecord';
import type { InterestedEndpoint } from './eventRecord';
import type { FormRecord, FormValue } from './formEncoding';
import type { Call } from './operation';
import type { ProviderTables } from './schema';
import { keyInUse, keyReused } from './stripeError';

/** An answer as it is stored under its idempotency key and replayed, byte for byte. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  readonly requestId: string;
}

/** One line of the request log. */
export interface RequestLine {
  readonly call: Pick<Call, 'requestId' | 'method' | 'path' | 'idempotencyKey' | 'atMs'> & {
    readonly account: string | null;
  };
  readonly payment: string | null;
  /** As sent; empty where the form could not be read. */
  readonly parameters: FormRecord;
  readonly status: number | null;
  readonly answered: boolean;
  readonly replayed: boolean;
  readonly faults: readonly string[];
}

/** What makes two requests the same one: method, path and parameters, in whatever order they came. */
export function fingerprintOf(call: Call): string {
  return createHash('sha256')
    .update(`${call.method} ${call.path} ${JSON.stringify(sorted(call.form))}`)
    .digest('hex');
}

function sorted(value: FormValue): unknown {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.keys(value)
    .sort()
    .map((key) => [key, sorted(value[key] ?? '')]);
}

/**
 * The answer that this key gave before, unless it has expired.
 * @throws StripeError 400 when the key belongs to another request
 */
export async function storedAnswer(
  db: Kysely<ProviderTables>,
  call: Call,
  keyTtlMs: number,
): Promise<StoredAnswer | undefined> {
  if (call.idempotencyKey === null) return undefined;
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'body', 'request_id'])
    .where('account', '=', call.account)
    .where('key', '=', call.idempotencyKey)
    .where('created_ms', '>', call.atMs - keyTtlMs)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.fingerprint !== fingerprintOf(call)) throw keyReused(call.idempotencyKey);
  return { status: row.status, body: row.body, requestId: row.request_id };
}

/**
 * Stores the answer under its key, logs the request and writes its events, in one statement of the transaction
 * of the effect.
 * @returns the endpoints that may want the events
 * @throws StripeError 409 when another process has taken the key meanwhile; the effect is then rolled back
 */
export async function recordAnswer(
  db: Kysely<ProviderTables>,
  call: Call,
  answer: StoredAnswer,
  line: RequestLine,
  keyTtlMs: number,
  events: RawBuilder<unknown>,
): Promise<InterestedEndpoint[]> {
  const { rows } = await sql<{ stored: number; endpoints: InterestedEndpoint[] }>`
    with stored as (
      insert into idempotency_keys as k (account, key, fingerprint, request_id, status, body, created_ms)
      select ${call.account}, ${call.idempotencyKey}::text, ${fingerprintOf(call)}, ${answer.requestId}, ${answer.status}::integer,
        ${answer.body}, ${call.atMs}::bigint
      where ${call.idempotencyKey}::text is not null
      on conflict (account, key) do update set
        fingerprint = excluded.fingerprint, request_id = excluded.request_id, status = excluded.status,
        body = excluded.body, created_ms = excluded.created_ms
        where k.created_ms <= ${call.atMs - keyTtlMs}
      returning 1
    ), logged as (${insertLine(line)}), written as (${events})
    select (select count(*) from stored) as stored, ${endpointsOf(call.account)} as endpoints`.execute(db);
  if (call.idempotencyKey !== null && rows[0]?.stored !== 1) throw keyInUse();
  return rows[0]?.endpoints ?? [];
}

export async function logRequest(db: Kysely<ProviderTables>, line: RequestLine): Promise<void> {
  await insertLine(line).execute(db);
}

function insertLine(line: RequestLine) {
  const { call } = line;
  return sql`
    insert into requests (id, account, method, path, idempotency_key, payment, status, answered, replayed, faults, parameters, at_ms)
    values (${call.requestId}, ${call.account}, ${call.method}, ${call.path}, ${call.idempotencyKey}, ${line.payment},
      ${line.status}, ${line.answered}, ${line.replayed}, ${line.faults}, ${JSON.stringify(line.parameters)}::json, ${call.atMs})`;
}
