import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Work } from './operation';
import { noSuch } from './stripeError';
import type { StripeObject } from './stripeObjects';

export interface PageParameters {
  readonly limit?: number | undefined;
  readonly starting_after?: string | undefined;
  readonly ending_before?: string | undefined;
  readonly created?:
    | { gt?: number | undefined; gte?: number | undefined; lt?: number | undefined; lte?: number | undefined }
    | undefined;
}

type ListedTable = 'charges' | 'refunds' | 'disputes' | 'events' | 'webhook_endpoints';

interface Listed {
  readonly seq: number;
  readonly created: number;
}

/**
 * One page, newest first, as Stripe pages: by the id of an object that the caller has seen.
 * @param filters further conditions, each one SQL expression
 * @throws StripeError 404 when the cursor's object is unknown
 */
export async function listPage<Row extends Listed>(
  work: Work,
  table: ListedTable,
  url: string,
  page: PageParameters,
  view: (row: Row) => StripeObject,
  filters: readonly RawBuilder<unknown>[] = [],
): Promise<StripeObject> {
  const { account } = work.call;
  const limit = page.limit ?? 10;
  const backwards = page.ending_before !== undefined;
  const conditions: RawBuilder<unknown>[] = [sql`account = ${account}`, ...filters];
  const { gt, gte, lt, lte } = page.created ?? {};
  if (gt !== undefined) conditions.push(sql`created > ${gt}`);
  if (gte !== undefined) conditions.push(sql`created >= ${gte}`);
  if (lt !== undefined) conditions.push(sql`created < ${lt}`);
  if (lte !== undefined) conditions.push(sql`created <= ${lte}`);
  for (const [param, sign] of [
    ['starting_after', sql`<`],
    ['ending_before', sql`>`],
  ] as const) {
    const cursor = page[param];
    if (cursor === undefined) continue;
    const { rows } =
      await sql<Listed>`select created, seq from ${sql.table(table)} where id = ${cursor} and account = ${account}`.execute(
        work.db,
      );
    const seen = rows[0];
    if (seen === undefined) throw noSuch('object', cursor, param);
    conditions.push(sql`(created, seq) ${sign} (${seen.created}::bigint, ${seen.seq}::bigint)`);
  }
  const direction = backwards ? sql`asc` : sql`desc`;
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}
    order by created ${direction}, seq ${direction} limit ${limit + 1}`.execute(work.db);
  const shown = rows.slice(0, limit);
  if (backwards) shown.reverse();
  return { object: 'list', data: shown.map(view), has_more: rows.length > limit, url };
}
