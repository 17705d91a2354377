import { mkdirSync, mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/adapters/postgres/migrate';
import { searchAttributes } from '../../src/domain/contract';
import { seedTenants } from '../../src/main/seedTenants';
import { registerChannelKey, parseSigningKey } from '../../src/main/signingKey';
import { prepareDatabases } from '../../src/main/up/start';
import { openDataFolder, type DataFolder } from '../../src/sandbox/embedded/dataFolder';
import { claimPorts } from '../../src/sandbox/embedded/freePort';
import { withConnection } from '../../src/sandbox/embedded/postgresDatabases';
import { preparePostgres } from '../../src/sandbox/embedded/postgresServer';
import { Supervisor } from '../../src/sandbox/embedded/supervisor';
import { locateTemporalCli } from '../../src/sandbox/embedded/temporalCli';
import { temporalServerPart } from '../../src/sandbox/embedded/temporalServer';
import {
  fullScale,
  namespaceNames,
  ownerUrlOf,
  passwords,
  signingKey,
  templateDatabase,
  testTokens,
} from './shared';

export interface SharedParts {
  readonly supervisor: Supervisor;
  readonly folder: DataFolder;
}

/** One PostgreSQL and one Temporal server for the whole run; every suite gets a database and a namespace of its own. */
export default async function globalSetup(): Promise<void> {
  const folder = await openDataFolder(mkdtempSync(join(tmpdir(), 'countersign-test-')));
  const supervisor = new Supervisor({ folder, baseEnv: { PATH: process.env['PATH'] } });
  Object.assign(globalThis, { countersignTestParts: { supervisor, folder } satisfies SharedParts });
  const ports = await claimPorts(['postgres', 'temporal', 'temporalUi']);

  const [adminUrl, cliPath] = await Promise.all([
    startPostgres(folder, supervisor, ports.postgres),
    startTemporal(folder, supervisor, ports.temporal, ports.temporalUi),
  ]);
  mkdirSync(folder.file('namespaces'));
  Object.assign(process.env, {
    COUNTERSIGN_TEST_PG_ADMIN_URL: adminUrl,
    COUNTERSIGN_TEST_TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
    COUNTERSIGN_TEST_TEMPORAL_UI: `http://127.0.0.1:${ports.temporalUi}`,
    COUNTERSIGN_TEST_TEMPORAL_CLI: cliPath,
    COUNTERSIGN_TEST_FOLDER: folder.path,
  });
}

async function startPostgres(folder: DataFolder, supervisor: Supervisor, port: number): Promise<string> {
  const { part, adminUrl } = await preparePostgres({
    folder,
    port,
    env: process.env,
    // No test takes the power away; what a killed server has written, the operating system keeps.
    settings: { max_connections: '400', fsync: 'off', full_page_writes: 'off' },
  });
  await supervisor.start(part);
  await prepareDatabases(adminUrl, passwords);
  await withConnection(adminUrl, (admin) =>
    admin.query(`create database ${templateDatabase} owner countersign_owner`),
  );
  const ownerUrl = ownerUrlOf(adminUrl, templateDatabase);
  await migrate(ownerUrl);
  await seedTenants(ownerUrl, testTokens);
  await registerChannelKey(ownerUrl, await parseSigningKey(signingKey));
  return adminUrl;
}

async function startTemporal(
  folder: DataFolder,
  supervisor: Supervisor,
  port: number,
  uiPort: number,
): Promise<string> {
  const { path } = await locateTemporalCli({
    env: process.env,
    userCache: process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    dataFolder: folder.path,
  });
  const part = temporalServerPart({
    cliPath: path,
    databaseFile: null,
    port,
    uiPort,
    searchAttributes,
    // What was deleted is gone after a second, not after the usual minute.
    dynamicConfig: {
      'history.transferProcessorUpdateAckInterval': '1s',
      'history.visibilityProcessorUpdateAckInterval': '1s',
      // A history is called long after a few hundred events already, so that few messages make one; in full, as anywhere.
      ...(fullScale ? {} : { 'limit.historyCount.suggestContinueAsNew': 400 }),
    },
  });
  await supervisor.start({
    ...part,
    args: [...part.args, ...namespaceNames.flatMap((name) => ['--namespace', name])],
  });
  return path;
}
