import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { Database } from '../../src/adapters/postgres/database';
import { PostgresMemories } from '../../src/adapters/postgres/memories';
import { migrate } from '../../src/adapters/postgres/migrate';
import type { MemoryCandidate } from '../../src/domain/memory/candidate';
import type { MemoryActor } from '../../src/domain/memory/gate';

/** A fresh database, migrated by its owner; the application connects as a login of countersign_app. */
async function freshDatabase(): Promise<{ url: string; asOwner: Client }> {
  const adminUrl = process.env['COUNTERSIGN_TEST_PG_ADMIN_URL'];
  if (adminUrl === undefined) throw new Error('COUNTERSIGN_TEST_PG_ADMIN_URL is not set');
  const name = `memories_${randomBytes(6).toString('hex')}`;
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const ownerUrl = new URL(adminUrl);
  ownerUrl.pathname = `/${name}`;
  await migrate(ownerUrl.href);
  await admin.query(`create role ${name} login password 'x' in role countersign_app`);
  await admin.end();
  const url = new URL(ownerUrl.href);
  url.username = name;
  url.password = 'x';
  const asOwner = new Client({ connectionString: ownerUrl.href });
  await asOwner.connect();
  await asOwner.query(
    `insert into tenants values ('acme', 'Acme'), ('acme-corp', 'Acme Corp'), ('globex', 'Globex')`,
  );
  return { url: url.href, asOwner };
}

export interface MemoryFixture {
  readonly memories: PostgresMemories;
  /** Sees everything. */
  readonly asOwner: Client;
  /** The application's own login, with no scope set. */
  readonly asApp: Client;
  /** Every row of every table, as text. */
  everyRow(): Promise<string>;
  close(): Promise<void>;
}

/** Memory on a real database of its own. */
export async function memoryFixture(): Promise<MemoryFixture> {
  const { url, asOwner } = await freshDatabase();
  const asApp = new Client({ connectionString: url });
  await asApp.connect();
  const database = new Database(url);
  return {
    memories: new PostgresMemories(database),
    asOwner,
    asApp,
    everyRow: () => everyRow(asOwner),
    async close() {
      await database.close();
      await asApp.end();
      await asOwner.end();
    },
  };
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
  return {
    tenantId: 'acme',
    ownerId,
    key: 'preference/language',
    value: 'Answer in English.',
    kind: 'semantic',
    source: 'user_explicit',
    explicitUserRequest: true,
    confidence: 1,
    evidence: [],
    ...change,
  };
}
