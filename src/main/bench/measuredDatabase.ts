import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../adapters/postgres/migrate';
import { openDataFolder } from '../../sandbox/embedded/dataFolder';
import { claimPorts } from '../../sandbox/embedded/freePort';
import { databaseUrl, preparePostgres } from '../../sandbox/embedded/postgresServer';
import { Supervisor } from '../../sandbox/embedded/supervisor';
import { embeddedTokens, seedTenants, type Tokens } from '../seedTenants';
import { databases, logins } from '../up/plan';
import { prepareDatabases } from '../up/start';

export interface MeasuredDatabase {
  /** The application's login. */
  readonly url: string;
  readonly ownerUrl: string;
  /** Of the embedded tenants. */
  readonly tokens: Tokens;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
}

/** A PostgreSQL of its own in a fresh folder, with our schema and the embedded tenants, and nothing else of ours. */
export async function openMeasuredDatabase(): Promise<MeasuredDatabase> {
  const path = mkdtempSync(join(tmpdir(), 'countersign-memory-'));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  const folder = await openDataFolder(path);
  const supervisor = new Supervisor({ folder, baseEnv: { PATH: process.env['PATH'] } });
  const { postgres: port } = await claimPorts(['postgres']);
  const { part, adminUrl } = await preparePostgres({ folder, port, env: process.env });
  await supervisor.start(part);
  const passwords = { owner: secret(), application: secret(), provider: secret() };
  await prepareDatabases(adminUrl, passwords);
  const database = databases.countersign;
  const ownerUrl = databaseUrl({ user: logins.owner, password: passwords.owner, port, database });
  await migrate(ownerUrl);
  const tokens = embeddedTokens(secret);
  await seedTenants(ownerUrl, tokens);
  return {
    url: databaseUrl({ user: logins.application, password: passwords.application, port, database }),
    ownerUrl,
    tokens,
    stop: () => supervisor.stop().then(() => folder.release()),
  };
}

function secret(): string {
  return randomBytes(16).toString('hex');
}
