import { Countersign } from '../../client';
import { readSettings, type Settings } from '../settings';
import { isRunning, readUpReport, upReportPath, type KnownUp } from '../upReport';
import { version } from '../version';
import { temporalSettings } from '../wiring';
import { checkDatabase } from './database';
import { finding, notSet, patienceMs, Wrong, type Finding } from './finding';
import { checkHere } from './here';
import { checkProvider } from './provider';
import { checkTemporal } from './temporal';

export type { Finding };

export interface Diagnosis {
  readonly status: 'ok' | 'wrong';
  readonly version: string;
  readonly checks: readonly Finding[];
}

/** Looks at everything that the environment names, or that a running `countersign up` holds. Changes nothing. */
export async function diagnose(): Promise<Diagnosis> {
  const here = checkHere();
  let checks: Finding[];
  try {
    checks = [...(await here), ...(await checkReach(readSettings()))];
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    checks = [...(await here), { name: 'settings', status: 'wrong', detail, fix: 'correct these variables' }];
  }
  return { status: checks.some(({ status }) => status === 'wrong') ? 'wrong' : 'ok', version, checks };
}

async function checkReach(settings: Settings): Promise<Finding[]> {
  const report = readUpReport(settings);
  const up = report && isRunning(report) ? report : undefined;
  const groups = await Promise.all([
    database(settings, up),
    temporal(settings, up),
    provider(settings, up),
    api(settings, up),
  ]);
  return [
    { name: 'settings', status: 'ok', detail: 'every variable is of its form' },
    embedded(settings, report, up),
    encryption(settings),
    ...groups.flat(),
  ];
}

function embedded(settings: Settings, report: KnownUp | undefined, up: KnownUp | undefined): Finding {
  if (up) return { name: 'embedded', status: 'ok', detail: 'countersign up runs' };
  const where = upReportPath(settings);
  return notSet(
    'embedded',
    report
      ? `countersign up does not run; ${where} is of the last time, and the next one goes on there`
      : `countersign up has never run here (no ${where})`,
  );
}

/** Every process needs the same keys; this is what whoever asks has set. */
function encryption({ COUNTERSIGN_ENCRYPTION_KEYS: keys = [] }: Settings): Finding {
  const [first, ...others] = keys.map(({ id }) => id);
  if (first === undefined)
    return notSet('encryption', 'COUNTERSIGN_ENCRYPTION_KEYS; payloads in histories are plain');
  const older = others.length === 0 ? '' : `, and these decrypt too: ${others.join(', ')}`;
  return { name: 'encryption', status: 'ok', detail: `payloads are encrypted under key ${first}${older}` };
}

async function database(settings: Settings, up: KnownUp | undefined): Promise<Finding[]> {
  const url = settings.DATABASE_URL ?? up?.databaseUrl;
  if (url === undefined) return [notSet('database', 'DATABASE_URL')];
  return checkDatabase(url, advice(settings.DATABASE_URL, 'start PostgreSQL there, or correct DATABASE_URL'));
}

async function temporal(settings: Settings, up: KnownUp | undefined): Promise<Finding[]> {
  const address = settings.TEMPORAL_ADDRESS ?? up?.temporalAddress;
  if (address === undefined) return [notSet('temporal', 'TEMPORAL_ADDRESS')];
  return checkTemporal(
    temporalSettings({ ...settings, TEMPORAL_ADDRESS: address }),
    advice(settings.TEMPORAL_ADDRESS, 'start Temporal there, or correct TEMPORAL_ADDRESS and TEMPORAL_TLS_*'),
  );
}

async function provider(settings: Settings, up: KnownUp | undefined): Promise<Finding[]> {
  const { STRIPE_API_KEY: key, STRIPE_API_BASE: base } = settings;
  if (key !== undefined)
    return [await checkProvider(key, base, 'see that STRIPE_API_BASE is right and can be reached from here')];
  if (base !== undefined || !up) return [notSet('provider', 'STRIPE_API_KEY')];
  return [await checkProvider(up.providerKey, up.providerUrl, advice(undefined, ''))];
}

async function api(settings: Settings, up: KnownUp | undefined): Promise<Finding[]> {
  const baseUrl = settings.COUNTERSIGN_API_URL ?? up?.apiUrl;
  if (baseUrl === undefined) return [notSet('api', 'COUNTERSIGN_API_URL')];
  const fix = advice(
    settings.COUNTERSIGN_API_URL,
    'start it there (countersign api), or correct COUNTERSIGN_API_URL',
  );
  return [
    await finding('api', fix, async () => {
      const client = new Countersign({ baseUrl, timeoutMs: patienceMs, retry: { retries: 0 } });
      const [health, { status, checks }] = await Promise.all([client.health(), client.readiness()]);
      if (status === 'ok') return `Countersign ${health.version} at ${baseUrl}, ready`;
      const down = Object.entries(checks).filter(([, outcome]) => outcome !== 'ok');
      throw new Wrong(
        `${baseUrl} is not ready: ${down.map(([name, outcome]) => `${name} ${outcome}`).join(', ')}`,
        'see what that is set to where the API runs',
      );
    }),
  ];
}

/** What is not set by hand is of `countersign up`, which restarts what dies. */
function advice(set: string | undefined, fix: string): string {
  return set === undefined ? 'countersign up restarts it; its log is in <data folder>/logs' : fix;
}
