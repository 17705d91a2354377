import { openDataFolder, type DataFolder } from '../../sandbox/embedded/dataFolder';
import { writeStateFile } from '../../sandbox/embedded/stateFile';
import { Supervisor } from '../../sandbox/embedded/supervisor';
import type { Tokens } from '../seedTenants';
import type { Settings } from '../settings';
import { makePlan, type Plan, type UpOptions } from './plan';
import { startParts } from './start';

/** What `countersign up --json` prints, and `<dataDir>/up.json` holds. A part that runs elsewhere has no pid. */
export interface UpReport {
  readonly apiUrl: string;
  readonly inboxUrl: string;
  readonly temporalAddress: string;
  readonly temporalUiUrl: string | null;
  readonly databaseUrl: string;
  readonly providerUrl: string;
  readonly providerKey: string;
  readonly dataDir: string;
  readonly pids: {
    readonly temporal: number | null;
    readonly postgres: number | null;
    readonly provider: number | null;
    readonly api: number | null;
    readonly workers: readonly (number | null)[];
  };
  readonly tokens: Tokens;
}

export interface RunningUp {
  report(): UpReport;
  /** Stops every part; resolves when none is left. */
  stop(): Promise<void>;
}

/**
 * Everything embedded, under one data folder. A second `up` on the same folder goes on where the first one was.
 * @param say one line per thing that happens
 */
export async function up(
  settings: Settings,
  options: UpOptions,
  say: (line: string) => void,
): Promise<RunningUp> {
  const folder = await openDataFolder(settings.COUNTERSIGN_DATA_DIR);
  for (const { name, pid } of folder.stoppedLeftovers)
    say(`${name.padEnd(11)} was left from a killed run (pid ${pid}); stopped`);
  let supervisor = supervisorOf(folder, settings, say);
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= supervisor.stop().then(() => folder.release()));
  const interrupted = stopOnInterrupt(stop);
  try {
    let plan = await makePlan(settings, folder, options);
    let tokens = await startParts(settings, folder, supervisor, plan, say).catch(portTaken);
    if (tokens === undefined) {
      // Somebody took a port between our look and our start: once more, on others.
      say('a port was taken meanwhile; starting again on others');
      await supervisor.stop();
      supervisor = supervisorOf(folder, settings, say);
      plan = await makePlan(settings, folder, options);
      tokens = await startParts(settings, folder, supervisor, plan, say);
    }
    const running = { plan, tokens, supervisor };
    const report = () => reportOf(running.plan, folder.path, running.supervisor, running.tokens);
    const keep = () => writeStateFile(folder.file('up.json'), report());
    supervisor.on('restarted', ({ name, pid }) => {
      say(`${name.padEnd(11)} is up again (pid ${pid})`);
      keep();
    });
    keep();
    interrupted.dispose();
    return { report, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function supervisorOf(folder: DataFolder, settings: Settings, say: (line: string) => void): Supervisor {
  const supervisor = new Supervisor({ folder, baseEnv: baseEnv(settings) });
  supervisor.on('ready', ({ name, pid }) => say(`${name.padEnd(11)} is up (pid ${pid})`));
  supervisor.on('died', ({ name, how }) => say(`${name.padEnd(11)} died (${how}); starting it again`));
  return supervisor;
}

/** @returns nothing when a part could not bind its port; any other failure goes on */
function portTaken(error: unknown): undefined {
  if (error instanceof Error && /address already in use|EADDRINUSE/i.test(error.message)) return undefined;
  throw error;
}

/** A Ctrl-C before everything is up stops what is there. */
function stopOnInterrupt(stop: () => Promise<void>): { dispose: () => void } {
  const interrupt = () => void stop().finally(() => process.exit(130));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  return {
    dispose: () => {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
    },
  };
}

const passedOn = ['PATH', 'HOME', 'LANG', 'TZ', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'LOG_LEVEL'];
const ofTemporal = ['API_KEY', 'TLS_SERVER_NAME', 'TLS_CA', 'TLS_CERT', 'TLS_KEY'].map(
  (name) => `TEMPORAL_${name}`,
);
const ofCountersign = [
  'STRIPE_WEBHOOK_SECRET',
  'COUNTERSIGN_ENCRYPTION_KEYS',
  'COUNTERSIGN_TEMPORAL_UI_URL',
  'COUNTERSIGN_RETENTION_SCHEDULE',
  'COUNTERSIGN_RECONCILE_SCHEDULE',
  'COUNTERSIGN_RECONCILE_WINDOW_DAYS',
  'COUNTERSIGN_RECONCILE_GRACE_SECONDS',
  'COUNTERSIGN_BULK_CONCURRENCY',
  'COUNTERSIGN_BULK_CALLS_PER_SECOND',
  'COUNTERSIGN_CALLS_PER_MINUTE',
];

/** Our parts get what they need by name; nothing else of the caller's environment reaches them. */
function baseEnv(settings: Settings): NodeJS.ProcessEnv {
  // Credentials for a Temporal elsewhere mean nothing to the embedded one, and would only keep us from it.
  const names = [
    ...passedOn,
    ...ofCountersign,
    ...(settings.TEMPORAL_ADDRESS === undefined ? [] : ofTemporal),
  ];
  const env = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  return {
    ...env,
    TEMPORAL_NAMESPACE: settings.TEMPORAL_NAMESPACE,
    // Whoever tries things here, or measures them, is not told to wait unless he asks for it.
    COUNTERSIGN_CALLS_PER_MINUTE: env['COUNTERSIGN_CALLS_PER_MINUTE'] || '0',
  };
}

function reportOf(plan: Plan, dataDir: string, supervisor: Supervisor, tokens: Tokens): UpReport {
  const pids = supervisor.pids();
  return {
    apiUrl: plan.apiUrl,
    inboxUrl: `${plan.apiUrl}/inbox`,
    temporalAddress: plan.temporalAddress,
    temporalUiUrl: plan.temporalUiUrl,
    databaseUrl: plan.databaseUrl,
    providerUrl: plan.providerUrl,
    providerKey: plan.providerKey,
    dataDir,
    pids: {
      temporal: pids['temporal'] ?? null,
      postgres: pids['postgres'] ?? null,
      provider: pids['provider'] ?? null,
      api: pids['api'] ?? null,
      workers: Array.from({ length: plan.workers }, (_, i) => pids[`worker-${i + 1}`] ?? null),
    },
    tokens,
  };
}
