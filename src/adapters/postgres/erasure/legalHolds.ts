import { sql, type Selectable } from 'kysely';
import type { LegalHold, LegalHolds } from '../../../ports/erasures';
import type { Transaction } from '../database';
import type { Tables } from '../tables';

export class PostgresLegalHolds implements LegalHolds {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async place(hold: Parameters<LegalHolds['place']>[0]): Promise<void> {
    const { id, scope, subject, reason, placedBy } = hold;
    await this.trx
      .insertInto('legal_holds')
      .values({ id, tenant: this.tenant, scope, subject, reason, placed_by: placedBy, released_by: null })
      .execute();
  }

  async find(id: string): Promise<LegalHold | undefined> {
    const row = await this.selected().where('id', '=', id).executeTakeFirst();
    return row && holdOf(row);
  }

  async list(released: boolean, limit: number): Promise<LegalHold[]> {
    const rows = await this.selected()
      .where('released_at', released ? 'is not' : 'is', null)
      .orderBy('placed_at', 'desc')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(holdOf);
  }

  async standing(): Promise<number> {
    const { holds } = await this.trx
      .selectFrom('legal_holds')
      .select((eb) => eb.fn.countAll<number>().as('holds'))
      .where('tenant', '=', this.tenant)
      .where('released_at', 'is', null)
      .executeTakeFirstOrThrow();
    return holds;
  }

  async release(id: string, by: string): Promise<void> {
    await this.trx
      .updateTable('legal_holds')
      .set({
        released_by: by,
        released_at: sql<Date>`clock_timestamp()`,
        subject: sql<string | null>`case scope when 'person' then null else subject end`,
      })
      .where('id', '=', id)
      .where('released_at', 'is', null)
      .execute();
  }

  async holdsPerson(subject: string): Promise<boolean> {
    const asked = sql<{ held: boolean }>`select is_held('person', ${subject}) as held`;
    return (await asked.execute(this.trx)).rows[0]?.held ?? true;
  }

  private selected() {
    return this.trx.selectFrom('legal_holds').selectAll().where('tenant', '=', this.tenant);
  }
}

function holdOf(row: Selectable<Tables['legal_holds']>): LegalHold {
  return {
    id: row.id,
    scope: row.scope,
    subject: row.subject,
    reason: row.reason,
    placedBy: row.placed_by,
    placedAt: row.placed_at.getTime(),
    releasedBy: row.released_by,
    releasedAt: row.released_at?.getTime() ?? null,
  };
}
