import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { z } from 'zod';
import { StripePayments } from '../../adapters/payments/stripe';
import { CedarAuthorization } from '../../adapters/policy/cedar';
import { Database } from '../../adapters/postgres/database';
import { PostgresAuthenticator } from '../../adapters/postgres/people';
import { PostgresRunWatch } from '../../adapters/postgres/runWatch';
import { PostgresStore } from '../../adapters/postgres/store';
import { ChannelSignatures } from '../../adapters/signatures';
import { TemporalEngine } from '../../adapters/temporal/engine';
import { readStateFile } from '../../sandbox/embedded/stateFile';
import type { Settings } from '../settings';
import { parseSigningKey } from '../signingKey';
import { up, type UpReport } from '../up';
import { bareSubject, Proposals } from './bareSubject';
import { httpSubject, useCaseSubject, type CountersignAccess, type Identity } from './countersignSubject';
import { SandboxProvider } from './provider';
import type { Subject, WorkerName } from './subject';
import { startBareWorker, startCountersignWorker, type WorkerProcess } from './workerProcess';

/** The parts that both systems share, and whatever is needed to use and to watch them. */
export interface Workshop {
  readonly temporal: Client;
  readonly provider: SandboxProvider;
  readonly subjects: readonly Subject[];
  readonly access: CountersignAccess;
  readonly pids: UpReport['pids'];
  /** The worker of that name, started when there is none. */
  worker(name: WorkerName): Promise<WorkerProcess>;
  /** One more beside it; from now on it is the worker of that name. */
  secondWorker(name: WorkerName): Promise<WorkerProcess>;
  stopWorker(name: WorkerName): Promise<void>;
  /** Closes what this process has open; only when no refund is under way. */
  disconnect(): Promise<void>;
  /** Stops every process; resolves when none is left. */
  stop(): Promise<void>;
}

/** Server, database, provider and API in a fresh data folder; the workers are started by who measures them. */
export async function openWorkshop(settings: Settings, say: (line: string) => void): Promise<Workshop> {
  const running = await up(settings, { workers: 0 }, say);
  const proposals = new Proposals();
  const workers = startWorkers(settings, running.report(), proposals);
  const stop = () => workers.stopAll().finally(() => running.stop());
  try {
    const report = running.report();
    const connection = await Connection.connect({ address: report.temporalAddress });
    const temporal = new Client({ connection, namespace: settings.TEMPORAL_NAMESPACE });
    const secret = readSecrets(report.dataDir);
    const { access, close } = await countersignAccess(settings, report, secret('hash-key'));
    return {
      temporal,
      provider: new SandboxProvider(report.providerUrl, report.providerKey, secret('provider-admin')),
      access,
      subjects: [bareSubject(temporal, proposals), useCaseSubject(access), httpSubject(access)],
      pids: report.pids,
      ...workers,
      disconnect: async () => {
        await close();
        await connection.close();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startWorkers(settings: Settings, report: UpReport, proposals: Proposals) {
  const current = new Map<WorkerName, WorkerProcess>();
  const base = { TEMPORAL_NAMESPACE: settings.TEMPORAL_NAMESPACE };
  const startWorker: Record<WorkerName, () => Promise<WorkerProcess>> = {
    countersign: () =>
      startCountersignWorker({
        ...base,
        TEMPORAL_ADDRESS: report.temporalAddress,
        DATABASE_URL: report.databaseUrl,
        STRIPE_API_KEY: report.providerKey,
        STRIPE_API_BASE: report.providerUrl,
      }),
    bare: () =>
      startBareWorker(
        {
          temporalAddress: report.temporalAddress,
          namespace: settings.TEMPORAL_NAMESPACE,
          providerUrl: report.providerUrl,
          providerKey: report.providerKey,
        },
        base,
        (id) => proposals.proposed(id),
      ),
  };
  const secondWorker = async (name: WorkerName): Promise<WorkerProcess> => {
    const worker = await startWorker[name]();
    current.set(name, worker);
    return worker;
  };
  const stopWorker = async (name: WorkerName): Promise<void> => {
    const worker = current.get(name);
    current.delete(name);
    await worker?.end('SIGTERM');
  };
  return {
    worker: async (name: WorkerName) => current.get(name) ?? secondWorker(name),
    secondWorker,
    stopWorker,
    stopAll: async () => {
      for (const name of [...current.keys()]) await stopWorker(name);
    },
  };
}

async function countersignAccess(
  settings: Settings,
  report: UpReport,
  hashKey: string,
): Promise<{ access: CountersignAccess; close: () => Promise<void> }> {
  const database = new Database(report.databaseUrl);
  const temporal = { address: report.temporalAddress, namespace: settings.TEMPORAL_NAMESPACE };
  const engine = TemporalEngine.lazily(temporal, hashKey);
  const watch = new PostgresRunWatch(report.databaseUrl);
  const signingKey = await parseSigningKey(readFileSync(join(report.dataDir, 'signing-key.json'), 'utf8'));
  const payments = new StripePayments({
    apiKey: report.providerKey,
    apiBase: report.providerUrl,
    account: 'default',
  });
  const signatures = new ChannelSignatures(database, signingKey);
  const authenticator = new PostgresAuthenticator(database);
  const identity = async (token: string): Promise<Identity> => {
    const principal = await authenticator.authenticate(token);
    if (!principal) throw new Error('the tenants are not seeded');
    return { principal, token };
  };
  const { service, reviewer1 } = report.tokens.acme;
  return {
    access: {
      useCases: {
        store: new PostgresStore(database),
        engine,
        payments,
        signatures,
        authorization: new CedarAuthorization(),
      },
      watch,
      apiUrl: report.apiUrl,
      requester: await identity(service),
      reviewer: await identity(reviewer1),
    },
    close: async () => {
      await watch.close();
      await engine.close();
      await database.close();
    },
  };
}

/** What `up` has made in its data folder. */
function readSecrets(dataDir: string): (name: string) => string {
  const secrets = readStateFile(join(dataDir, 'secrets.json'), z.record(z.string(), z.string())) ?? {};
  return (name) => {
    const secret = secrets[name];
    if (secret === undefined) throw new Error(`the data folder holds no secret ${name}`);
    return secret;
  };
}
