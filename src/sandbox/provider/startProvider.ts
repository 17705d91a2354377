import { serve } from '@hono/node-server';
import type { ServerType } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { Hono } from 'hono';
import { adminApi } from './adminApi';
import { CallPipeline } from './callPipeline';
import { openProviderDatabase } from './database';
import { DueWork } from './dueWork';
import { FaultBook } from './faultBook';
import { StripeError, internalError, unknownUrl } from './stripeError';
import { stripeApi } from './stripeApi';
import type { ProviderEnv } from './stripeApi';
import { WebhookCourier } from './webhookCourier';

const hour = 60 * 60 * 1_000;

export interface ProviderOptions {
  /** A database of the provider's own; its tables are made at start. It must exist. */
  readonly databaseUrl: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Secret keys (`sk_…`). Each is an account of its own. */
  readonly apiKeys: readonly string[];
  /** Bearer token of everything under `/sandbox`. */
  readonly adminToken: string;
  /** Only errors are written; requests have their own table. */
  readonly logger?: { error(fields: object, message: string): void };
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** How long idempotency keys are remembered, milliseconds. Default 24 h. */
  readonly idempotencyKeyTtlMs?: number;
  /** Waits between attempts to deliver a webhook, milliseconds. */
  readonly webhookRetryMs?: readonly number[];
  readonly connections?: number;
}

export interface RunningProvider {
  readonly url: string;
  /** Stops listening, cuts open connections, and gives the database back. */
  close(): Promise<void>;
}

const about = `Countersign sandbox payment provider.
This is a simulation: it moves no money, knows no cards and is nobody's bank.
It speaks the part of Stripe's HTTP API that Countersign uses, under /v1. It is not Stripe.
`;

/**
 * Starts the simulated provider.
 * @throws when the database can't be reached or the port is taken
 */
export async function startProvider(options: ProviderOptions): Promise<RunningProvider> {
  const now = options.now ?? Date.now;
  const onError = (error: unknown): void => options.logger?.error({ err: error }, 'sandbox provider error');
  const db = await openProviderDatabase(options.databaseUrl, options.connections ?? 10, onError);
  const faults = new FaultBook(db);
  await faults.load();
  const courier = new WebhookCourier(db, {
    retryMs: options.webhookRetryMs ?? [
      1_000,
      5_000,
      30_000,
      300_000,
      hour,
      3 * hour,
      6 * hour,
      12 * hour,
      24 * hour,
    ],
    timeoutMs: 10_000,
    now,
  });
  const dueWork = new DueWork(db, faults, courier, now, onError);
  const pipeline = new CallPipeline({
    db,
    faults,
    courier,
    dueWork,
    keyTtlMs: options.idempotencyKeyTtlMs ?? 24 * hour,
    onError,
  });

  const app = new Hono<ProviderEnv>();
  app.use(async (c, next) => {
    await next();
    c.res.headers.set('X-Countersign-Sandbox', 'simulation');
  });
  app.get('/', (c) => c.text(about));
  app.get('/healthz', async (c) => {
    await sql`select 1`.execute(db);
    return c.json({ status: 'ok', simulation: true });
  });
  app.route('/', stripeApi({ pipeline, db, apiKeys: options.apiKeys, now, onError }));
  app.route('/', adminApi({ db, faults, dueWork, adminToken: options.adminToken, now }));
  app.notFound((c) => {
    const error = unknownUrl(c.req.method, c.req.path);
    return c.json(error.toJson(), 404, { 'X-Countersign-Sandbox': 'simulation' });
  });
  app.onError((error, c) => {
    const known = error instanceof StripeError ? error : internalError();
    if (known !== error) onError(error);
    return c.json(known.toJson(), known.status as 500, { 'X-Countersign-Sandbox': 'simulation' });
  });

  const server = await listen(app, options).catch(async (error: unknown) => {
    await db.destroy();
    throw error;
  });
  dueWork.wake();
  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
      if ('closeAllConnections' in server) server.closeAllConnections();
    });
    await dueWork.close();
    await db.destroy();
  };
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${String(port)}`,
    close: () => (closing ??= close()),
  };
}

async function listen(app: Hono<ProviderEnv>, options: ProviderOptions): Promise<ServerType> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, port: options.port, hostname: options.host }, () => {
      server.off('error', reject);
      resolve(server);
    });
    server.once('error', reject);
  });
}
