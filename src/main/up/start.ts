import { join } from 'node:path';
import { searchAttributes } from '../../domain/contract';
import type { DataFolder } from '../../sandbox/embedded/dataFolder';
import { ensureDatabase, ensureRole, withConnection } from '../../sandbox/embedded/postgresDatabases';
import { preparePostgres } from '../../sandbox/embedded/postgresServer';
import type { Supervisor } from '../../sandbox/embedded/supervisor';
import { locateTemporalCli } from '../../sandbox/embedded/temporalCli';
import { temporalServerPart } from '../../sandbox/embedded/temporalServer';
import { runMigrate } from '../migrate';
import { seedHandbook } from '../seedHandbook';
import { embeddedTokens, seedTenants, type Tokens } from '../seedTenants';
import type { Settings } from '../settings';
import { newSigningKey } from '../signingKey';
import { apiPart, providerPart, workerPart } from './parts';
import { databases, logins, type Plan } from './plan';
import { keptSecret } from './keptSecret';
import { registerWebhooks } from './webhookEndpoint';

/** Starts every part in order and resolves when all serve. @returns the tokens of the embedded people */
export async function startParts(
  settings: Settings,
  folder: DataFolder,
  supervisor: Supervisor,
  plan: Plan,
  say: (line: string) => void,
): Promise<Tokens> {
  const signingKey = await keptSecret(folder.file('signing-key.json'), newSigningKey);
  await Promise.all([
    plan.runs.temporal ? startTemporal(settings, folder, supervisor, plan, say) : undefined,
    (async () => {
      if (plan.runs.postgres) await startPostgres(folder, supervisor, plan);
      const applied = await runMigrate({
        ...settings,
        COUNTERSIGN_MIGRATION_DATABASE_URL: plan.ownerUrl,
        COUNTERSIGN_SIGNING_KEY: signingKey,
      });
      say(applied.length > 0 ? `migrations  applied ${applied.join(', ')}` : 'migrations  up to date');
    })(),
  ]);
  const tokens = embeddedTokens((name) => folder.secret(name));
  await seedTenants(plan.ownerUrl, tokens);
  await seedHandbook(plan.databaseUrl);
  const workers = Array.from({ length: plan.workers }, (_, i) => workerPart(plan, folder, i + 1));
  if (plan.runs.provider) await supervisor.start(providerPart(plan));
  const webhookSecret = plan.runs.provider ? await registerWebhooks(plan, folder) : undefined;
  const secrets = { signingKey, hashKey: folder.secret('hash-key'), webhookSecret };
  await supervisor.start(apiPart(plan, secrets), ...workers);
  return tokens;
}

async function startTemporal(
  settings: Settings,
  folder: DataFolder,
  supervisor: Supervisor,
  plan: Plan,
  say: (line: string) => void,
): Promise<void> {
  const cli = await locateTemporalCli({
    env: process.env,
    userCache: settings.XDG_CACHE_HOME ?? join(settings.HOME ?? folder.path, '.cache'),
    dataFolder: folder.path,
    onProgress: say,
    ...(settings.TEMPORAL_CLI_PATH === undefined ? {} : { configuredPath: settings.TEMPORAL_CLI_PATH }),
  });
  await supervisor.start(
    temporalServerPart({
      cliPath: cli.path,
      databaseFile: folder.file('temporal.db'),
      port: plan.ports.temporal,
      uiPort: plan.ports.temporalUi,
      namespace: settings.TEMPORAL_NAMESPACE,
      searchAttributes,
    }),
  );
}

async function startPostgres(folder: DataFolder, supervisor: Supervisor, plan: Plan): Promise<void> {
  const { part, adminUrl } = await preparePostgres({ folder, port: plan.ports.postgres, env: process.env });
  await supervisor.start(part);
  await prepareDatabases(adminUrl, {
    owner: folder.secret('postgres-owner'),
    application: folder.secret('postgres-application'),
    provider: folder.secret('postgres-provider'),
  });
}

/** The roles and databases of one cluster: the application's login owns nothing and is no superuser. */
export async function prepareDatabases(
  adminUrl: string,
  passwords: Record<'owner' | 'application' | 'provider', string>,
): Promise<void> {
  await withConnection(adminUrl, async (admin) => {
    await ensureRole(admin, { name: 'countersign_app' });
    await ensureRole(admin, { name: logins.owner, password: passwords.owner });
    await ensureRole(admin, {
      name: logins.application,
      password: passwords.application,
      memberOf: ['countersign_app'],
    });
    await ensureRole(admin, { name: logins.provider, password: passwords.provider });
    await ensureDatabase(admin, {
      name: databases.countersign,
      owner: logins.owner,
      mayConnect: [logins.application],
    });
    await ensureDatabase(admin, { name: databases.provider, owner: logins.provider });
  });
}
