import { Client } from 'pg';
import { CedarAuthorization } from '../../src/adapters/policy/cedar';
import { Database } from '../../src/adapters/postgres/database';
import { PostgresMemories } from '../../src/adapters/postgres/memories';
import { PostgresRecall } from '../../src/adapters/postgres/recall';
import { PostgresStore } from '../../src/adapters/postgres/store';
import type { MemoryCandidate } from '../../src/domain/memory/candidate';
import type { MemoryActor } from '../../src/domain/memory/gate';
import type { Principal } from '../../src/ports/people';
import type { Store } from '../../src/ports/store';
import { createDatabase } from '../support/database';
import { preference as explicit } from '../domain/memory/candidates';

export interface MemoryFixture {
  readonly memories: PostgresMemories;
  readonly recall: PostgresRecall;
  readonly store: Store;
  readonly authorization: CedarAuthorization;
  /** Sees everything. */
  readonly asOwner: Client;
  /** The application's own login, with no scope set. */
  readonly asApp: Client;
  /** Every row of every table, as text. */
  everyRow(): Promise<string>;
  close(): Promise<void>;
}

/** Memory on a real database of its own, with a third tenant whose name only begins as the first one's. */
export async function memoryFixture(): Promise<MemoryFixture> {
  const own = await createDatabase();
  const [asOwner, asApp] = await Promise.all([connected(own.adminUrl), connected(own.url)]);
  await asOwner.query(`insert into tenants (id, name) values ('acme-corp', 'Acme Corp')`);
  await asOwner.query(
    `insert into policies (tenant, version, document, cedar) select 'acme-corp', version, document, cedar
     from policies where tenant = 'acme'`,
  );
  await asOwner.query(
    `insert into principals (tenant, id, kind, display_name, groups)
     values ('acme', 'admin2', 'person', 'Second', '{admins}'), ('acme-corp', 'admin', 'person', 'Admin', '{admins}')`,
  );
  const database = new Database(own.url);
  const authorization = new CedarAuthorization();
  return {
    memories: new PostgresMemories(database, authorization),
    recall: new PostgresRecall(database),
    store: new PostgresStore(database),
    authorization,
    asOwner,
    asApp,
    everyRow: () => everyRow(asOwner),
    async close() {
      await database.close();
      await asApp.end();
      await asOwner.end();
      await own.drop();
    },
  };
}

async function connected(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}

async function everyRow(asOwner: Client): Promise<string> {
  const { rows: tables } = await asOwner.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
  );
  let text = '';
  for (const { name } of tables) {
    const { rows } = await asOwner.query<{ row: string }>(`select t::text as row from ${name} t`);
    text += rows.map(({ row }) => row).join('\n');
  }
  return text;
}

/** Anybody of tenant acme, by default a person. */
export function actor(id: string, kind: MemoryActor['kind'] = 'person'): MemoryActor {
  return { tenant: 'acme', id, kind };
}

export const service = actor('service', 'service');

/** An explicit preference of tenant acme that the gate allows, changed by `change`. */
export function preference(ownerId: string, change: Partial<MemoryCandidate> = {}): MemoryCandidate {
  return { ...explicit, ownerId, evidence: [], ...change };
}

/** Whoever a credential stands for. */
export function principal(id: string, change: Partial<Principal> = {}): Principal {
  return {
    tenant: 'acme',
    id,
    kind: 'person',
    groups: [],
    limitMajor: null,
    displayName: id,
    key: { id: 'key_test', scopes: ['*'], expiresAt: null },
    ...change,
  };
}

export const administrator = principal('admin', { groups: ['admins'] });
export const secondAdministrator = principal('admin2', { groups: ['admins'] });
