import { sql, type Selectable } from 'kysely';
import type {
  Directory,
  Group,
  PeopleFilter,
  Person,
  PersonFields,
  TenantRecord,
} from '../../ports/directory';
import type { Transaction } from './database';
import type { Tables } from './tables';
import { pageOf } from '../../domain/page';

export class PostgresDirectory implements Directory {
  constructor(
    private readonly trx: Transaction,
    private readonly id: string,
  ) {}

  async lock(): Promise<void> {
    await sql`select pg_advisory_xact_lock(hashtextextended(${this.id}, 10))`.execute(this.trx);
  }

  async tenant(): Promise<TenantRecord> {
    const { id, name, active, version } = await this.trx
      .selectFrom('tenants')
      .selectAll()
      .where('id', '=', this.id)
      .executeTakeFirstOrThrow();
    return { id, name, active, version };
  }

  async renameTenant(name: string, version: number): Promise<boolean> {
    const changed = await this.trx
      .updateTable('tenants')
      .set({ name, version: version + 1 })
      .where('id', '=', this.id)
      .where('version', '=', version)
      .returning('id')
      .executeTakeFirst();
    return changed !== undefined;
  }

  async person(id: string): Promise<Person | undefined> {
    const row = await this.trx
      .selectFrom('principals')
      .selectAll()
      .where('tenant', '=', this.id)
      .where(sql<boolean>`lower(id) = lower(${id})`)
      .executeTakeFirst();
    return row && personOf(row);
  }

  async people(filter: PeopleFilter): Promise<{ items: Person[]; next: string | null }> {
    const { limit, after, group, active } = filter;
    const rows = await this.trx
      .selectFrom('principals')
      .selectAll()
      .where('tenant', '=', this.id)
      .$if(after !== undefined, (q) => q.where('id', '>', after ?? ''))
      .$if(active !== undefined, (q) => q.where('active', '=', active ?? true))
      .$if(group !== undefined, (q) => q.where(sql<boolean>`${group} = any(groups)`))
      .orderBy('id')
      .limit(limit + 1)
      .execute();
    const { page, last } = pageOf(rows, limit);
    return { items: page.map(personOf), next: last?.id ?? null };
  }

  async addPerson(
    person: Pick<Person, 'id' | 'kind' | 'displayName' | 'groups' | 'limitMajor'>,
  ): Promise<Person | undefined> {
    const row = await this.trx
      .insertInto('principals')
      .values({
        tenant: this.id,
        id: person.id,
        kind: person.kind,
        display_name: person.displayName,
        groups: [...person.groups],
        limit_major: person.limitMajor,
      })
      .onConflict((oc) => oc.doNothing())
      .returningAll()
      .executeTakeFirst();
    return row && personOf(row);
  }

  async changePerson(id: string, version: number, fields: PersonFields): Promise<Person | undefined> {
    const { displayName, groups, limitMajor, active } = fields;
    const row = await this.trx
      .updateTable('principals')
      .set({
        version: version + 1,
        updated_at: sql`clock_timestamp()`,
        ...(displayName === undefined ? {} : { display_name: displayName }),
        ...(groups === undefined ? {} : { groups: [...groups] }),
        ...(limitMajor === undefined ? {} : { limit_major: limitMajor }),
        ...(active === undefined ? {} : { active }),
      })
      .where('tenant', '=', this.id)
      .where('id', '=', id)
      .where('version', '=', version)
      .returningAll()
      .executeTakeFirst();
    return row && personOf(row);
  }

  async group(name: string): Promise<Group | undefined> {
    return (await this.groupsWhere(name))[0];
  }

  async groups(): Promise<Group[]> {
    return this.groupsWhere(null);
  }

  private async groupsWhere(name: string | null): Promise<Group[]> {
    const { rows } = await sql<Group>`
      select g.name, g.description, g.version,
        array(select p.id from principals p where p.tenant = g.tenant and g.name = any(p.groups) order by p.id) as members
      from groups g where g.tenant = ${this.id} and (${name}::text is null or g.name = ${name}) order by g.name
    `.execute(this.trx);
    return rows;
  }

  async addGroup(name: string, description: string): Promise<boolean> {
    const added = await this.trx
      .insertInto('groups')
      .values({ tenant: this.id, name, description })
      .onConflict((oc) => oc.doNothing())
      .returning('name')
      .executeTakeFirst();
    return added !== undefined;
  }

  async changeGroup(name: string, version: number, description: string | undefined): Promise<boolean> {
    const changed = await this.trx
      .updateTable('groups')
      .set({ version: version + 1, ...(description === undefined ? {} : { description }) })
      .where('tenant', '=', this.id)
      .where('name', '=', name)
      .where('version', '=', version)
      .returning('name')
      .executeTakeFirst();
    return changed !== undefined;
  }

  async touchGroups(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    await this.trx
      .updateTable('groups')
      .set((eb) => ({ version: eb('version', '+', 1) }))
      .where('tenant', '=', this.id)
      .where('name', 'in', [...names])
      .execute();
  }

  async removeGroup(name: string, version: number): Promise<boolean> {
    const removed = await this.trx
      .deleteFrom('groups')
      .where('tenant', '=', this.id)
      .where('name', '=', name)
      .where('version', '=', version)
      .returning('name')
      .executeTakeFirst();
    return removed !== undefined;
  }
}

function personOf(row: Selectable<Tables['principals']>): Person {
  return {
    tenant: row.tenant,
    id: row.id,
    kind: row.kind,
    displayName: row.display_name,
    groups: row.groups,
    limitMajor: row.limit_major,
    active: row.active,
    version: row.version,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  };
}
