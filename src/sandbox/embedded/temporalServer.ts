import { Connection } from '@temporalio/client';
import type { PartSpec } from './partSpec';
import { untilListens, untilReady } from './readiness';
import { ensureSearchAttributes, type SearchAttributeType } from './temporalSearchAttributes';

export interface TemporalServerOptions {
  /** The Temporal CLI, as `locateTemporalCli` found it. */
  readonly cliPath: string;
  /** The database file; null keeps everything in memory, for tests that want no trace. */
  readonly databaseFile: string | null;
  readonly port: number;
  /** Null leaves the Web UI out. */
  readonly uiPort: number | null;
  /** Besides `default`, which is always there. */
  readonly namespace?: string;
  readonly searchAttributes?: Readonly<Record<string, SearchAttributeType>>;
  /** Further dynamic configuration, as JSON values. */
  readonly dynamicConfig?: Readonly<Record<string, unknown>>;
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
}

/**
 * With one partition, a task is found without asking around; a single server has nobody to spread over. Tenants take
 * turns where tasks queue up, by their fairness keys; priorities hold without being asked for.
 */
const dynamicConfig = {
  'matching.enableFairness': true,
  'frontend.WorkflowTimeSkippingEnabled': true,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
};

/** A write-ahead log is much faster, and with full synchronization loses nothing that was acknowledged. */
const pragmas = ['journal_mode=wal', 'synchronous=full'];

export function temporalAddress(port: number): string {
  return `127.0.0.1:${port}`;
}

/** Temporal's development server; ready when its namespace and all search attributes are usable. */
export function temporalServerPart(options: TemporalServerOptions): PartSpec {
  const namespace = options.namespace ?? 'default';
  const attributes = options.searchAttributes ?? {};
  const config = { ...dynamicConfig, ...options.dynamicConfig };
  const each = (flag: string, values: readonly string[]): string[] =>
    values.flatMap((value) => [flag, value]);
  return {
    name: 'temporal',
    command: options.cliPath,
    args: [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(options.port)],
      ...(options.uiPort === null
        ? ['--headless']
        : ['--ui-port', String(options.uiPort), '--ui-disable-news-fetch']),
      ...(options.databaseFile === null ? [] : ['--db-filename', options.databaseFile]),
      ...(options.databaseFile === null ? [] : each('--sqlite-pragma', pragmas)),
      ...(namespace === 'default' ? [] : ['--namespace', namespace]),
      ...['--log-level', options.logLevel ?? 'warn', '--color', 'never', '--disable-config-file'],
      ...each(
        '--search-attribute',
        Object.entries(attributes).map(([name, type]) => `${name}=${type}`),
      ),
      ...each(
        '--dynamic-config-value',
        Object.entries(config).map(([key, value]) => `${key}=${JSON.stringify(value)}`),
      ),
    ],
    withoutBaseEnv: true,
    ready: async (signal) => {
      // A gRPC channel that was refused once waits a second before it tries again; a plain socket doesn't.
      await untilListens(options.port, signal);
      await untilTemporalServes(temporalAddress(options.port), namespace, attributes, signal);
    },
  };
}

/** Also for an external server, to see that it is there; search attributes it lacks are added. */
export async function untilTemporalServes(
  address: string,
  namespace: string,
  attributes: Readonly<Record<string, SearchAttributeType>>,
  signal: AbortSignal,
): Promise<void> {
  const connection = await untilReady(() => Connection.connect({ address, connectTimeout: 2_000 }), signal);
  try {
    await untilReady(() => connection.workflowService.describeNamespace({ namespace }), signal);
    await ensureSearchAttributes(connection, namespace, attributes, signal);
  } finally {
    await connection.close();
  }
}
