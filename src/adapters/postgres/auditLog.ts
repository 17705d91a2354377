import { sql } from 'kysely';
import type { ChainedRow, Head } from '../../domain/audit/chain';
import { pageOf } from '../../domain/page';
import type {
  AnchorKey,
  AuditFilter,
  AuditLog,
  AuditPage,
  AuditPosition,
  ChainPosition,
  SealedAnchor,
  StoredAnchor,
  StoredAnchorEnd,
} from '../../ports/auditLog';
import type { Database, Transaction } from './database';

/** A row may be committed this much later than it was written, so that much is looked at again. */
const slowestCommit = '1 hour';

/** A tenant's audit log as it is read, searched and anchored; rows are written by `PostgresAudit`. */
export class PostgresAuditLog implements AuditLog {
  constructor(private readonly database: Database) {}

  async search(
    tenant: string,
    filter: AuditFilter,
    before: AuditPosition | undefined,
    limit: number,
  ): Promise<AuditPage> {
    const { runId, actor, event, from, to } = filter;
    const rows = await this.database.inTenant(tenant, (trx) =>
      selectRows(trx, tenant)
        .select(sql<string>`at::text`.as('at_text'))
        .$if(runId !== undefined, (q) => q.where('run_id', '=', runId ?? ''))
        .$if(actor !== undefined, (q) => q.where('actor', '=', actor ?? ''))
        .$if(event !== undefined, (q) => q.where('event', '=', event ?? ''))
        .$if(from !== undefined, (q) => q.where(sql<boolean>`at >= ${from}::timestamptz`))
        .$if(to !== undefined, (q) => q.where(sql<boolean>`at < ${to}::timestamptz`))
        .$if(before !== undefined, (q) =>
          q.where(
            sql<boolean>`(at, run_id, seq) < (${before?.at}::timestamptz, ${before?.runId}, ${before?.seq}::int)`,
          ),
        )
        .orderBy('at', 'desc')
        .orderBy('run_id', 'desc')
        .orderBy('seq', 'desc')
        .limit(limit + 1)
        .execute(),
    );
    const { page, last } = pageOf(rows, limit);
    return {
      rows: page.map(chainedRow),
      next: last ? { at: last.at_text, runId: last.run_id, seq: last.seq } : undefined,
    };
  }

  async chains(tenant: string, after: ChainPosition | undefined, limit: number): Promise<ChainedRow[]> {
    const rows = await this.database.inTenant(tenant, (trx) =>
      selectRows(trx, tenant)
        .$if(after !== undefined, (q) =>
          q.where(sql<boolean>`(run_id, seq) > (${after?.runId}, ${after?.seq}::int)`),
        )
        .orderBy('run_id')
        .orderBy('seq')
        .limit(limit)
        .execute(),
    );
    return rows.map(chainedRow);
  }

  async anchors(tenant: string, after: number, limit: number): Promise<StoredAnchor[]> {
    return this.database.inTenant(tenant, async (trx) => {
      const anchors = await trx
        .selectFrom('audit_anchors')
        .select(['seq', 'jws'])
        .where('tenant', '=', tenant)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit)
        .execute();
      const [first, last] = [anchors[0], anchors.at(-1)];
      if (!first || !last) return [];
      const heads = await trx
        .selectFrom('audit_anchor_heads')
        .select(['anchor', 'run_id', 'seq', 'hash'])
        .where('tenant', '=', tenant)
        .where('anchor', '>=', first.seq)
        .where('anchor', '<=', last.seq)
        .orderBy('anchor')
        .orderBy('run_id')
        .execute();
      return anchors.map(({ seq, jws }) => ({
        seq,
        jws,
        heads: heads.filter((head) => head.anchor === seq).map(headOf),
      }));
    });
  }

  async heads(
    tenant: string,
    after: ChainPosition | undefined,
    upTo: ChainPosition | undefined,
  ): Promise<Head[]> {
    const rows = await this.database.inTenant(tenant, (trx) =>
      trx
        .selectFrom('audit_anchor_heads')
        .select(['run_id', 'seq', 'hash'])
        .where('tenant', '=', tenant)
        .$if(after !== undefined, (q) =>
          q.where(sql<boolean>`(run_id, seq) > (${after?.runId}, ${after?.seq}::int)`),
        )
        .$if(upTo !== undefined, (q) =>
          q.where(sql<boolean>`(run_id, seq) <= (${upTo?.runId}, ${upTo?.seq}::int)`),
        )
        .execute(),
    );
    return rows.map(headOf);
  }

  async anchor(
    tenant: string,
    minAgeMs: number,
    seal: (heads: readonly Head[], last: StoredAnchorEnd | undefined) => Promise<SealedAnchor>,
  ): Promise<SealedAnchor | undefined> {
    return this.database.inTenant(tenant, async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${tenant}, 12))`.execute(trx);
      const last = await trx
        .selectFrom('audit_anchors')
        .select(['seq', 'jws', 'at'])
        .select(sql<boolean>`at > clock_timestamp() - ${minAgeMs} * interval '1 millisecond'`.as('young'))
        .where('tenant', '=', tenant)
        .orderBy('seq', 'desc')
        .executeTakeFirst();
      if (last?.young) return undefined;
      const heads = await grownSince(trx, tenant, last?.at);
      if (heads.length === 0) return undefined;
      const sealed = await seal(heads, last);
      const { seq, at } = sealed.anchor;
      await trx.insertInto('audit_anchors').values({ tenant, seq, at, jws: sealed.jws }).execute();
      await sql`
        insert into audit_anchor_heads (tenant, anchor, run_id, seq, hash)
        select ${tenant}, ${seq}::int, h."runId", h.seq, h.hash
        from jsonb_to_recordset(${JSON.stringify(heads)}::jsonb) as h("runId" text, seq int, hash text)
      `.execute(trx);
      return sealed;
    });
  }

  async tenants(): Promise<string[]> {
    const rows = await this.database.unscoped((db) => db.selectFrom('tenants').select('id').execute());
    return rows.map(({ id }) => id);
  }

  async keys(): Promise<AnchorKey[]> {
    const rows = await this.database.unscoped((db) =>
      db.selectFrom('channel_keys').select(['kid', 'public_jwk']).where('tenant', 'is', null).execute(),
    );
    return rows.map(({ kid, public_jwk: { kty = '', crv = '', x = '' } }) => ({ kid, kty, crv, x }));
  }
}

/** The ends of all chains that moved, as they are now, and are not anchored so already. */
async function grownSince(trx: Transaction, tenant: string, since: Date | undefined): Promise<Head[]> {
  const { rows } = await sql<{ run_id: string; seq: number; hash: string }>`
    select head.run_id, head.seq, head.hash
    from (
      select distinct run_id from audit
      where tenant = ${tenant} and at > coalesce(${since ?? null}::timestamptz, '-infinity') - interval '${sql.raw(slowestCommit)}'
    ) moved
    cross join lateral (
      select run_id, seq, hash from audit a
      where a.tenant = ${tenant} and a.run_id = moved.run_id order by seq desc limit 1
    ) head
    where not exists (
      select from audit_anchor_heads h
      where h.tenant = ${tenant} and h.run_id = head.run_id and h.seq = head.seq
    )
    order by head.run_id
  `.execute(trx);
  return rows.map(headOf);
}

function headOf({ run_id, seq, hash }: { run_id: string; seq: number; hash: string }): Head {
  return { runId: run_id, seq, hash };
}

function selectRows(trx: Transaction, tenant: string) {
  return trx
    .selectFrom('audit')
    .selectAll()
    .select(sql<string>`extract(epoch from at)::text`.as('epoch'))
    .where('tenant', '=', tenant);
}

function chainedRow(row: Awaited<ReturnType<ReturnType<typeof selectRows>['execute']>>[number]): ChainedRow {
  return {
    tenant: row.tenant,
    runId: row.run_id,
    seq: row.seq,
    epoch: row.epoch,
    actor: row.actor,
    event: row.event,
    step: row.step,
    before: row.before,
    after: row.after,
    reason: row.reason,
    policyVersion: row.policy_version,
    effectKey: row.effect_key,
    providerId: row.provider_id,
    prevHash: row.prev_hash,
    hash: row.hash,
  };
}
