import { serve } from '@hono/node-server';
import { Database } from '../adapters/postgres/database';
import { PostgresRunWatch } from '../adapters/postgres/runWatch';
import { TemporalEngine } from '../adapters/temporal/engine';
import { TemporalSealedPayloads } from '../adapters/temporal/sealedPayloads';
import { anchorAll } from '../application/audit';
import { redeliver } from '../application/redeliver';
import { createApi } from '../http/app';
import { apiParts } from './apiParts';
import { createLogger, errorFields } from './logger';
import { modelParts } from './modelParts';
import { pagesBeside } from './pages';
import { stopWithDignity } from './processLife';
import { scheduleReconciliations } from './reconciliationSchedules';
import { scheduleSweeps } from './retentionSchedules';
import { required, type Settings } from './settings';
import { parseSigningKey } from './signingKey';
import { stripeSettings, temporalSettings } from './wiring';
import { version } from './version';

/** How often schedules are made for tenants that are new to this process, ms. */
const lookForTenantsEveryMs = 10_000;

/** How often owed deliveries are looked for, ms; the table is empty unless something was down. */
const redeliverEveryMs = 2_000;
/** How often it is looked whether an anchor is due, ms. */
const anchorLookMs = 60_000;

/** The HTTP process: doors, and the deliveries that an outage left owed. */
export async function runApi(settings: Settings): Promise<void> {
  const logger = createLogger('api', settings.LOG_LEVEL);
  const databaseUrl = required(settings, 'DATABASE_URL');
  const database = new Database(databaseUrl);
  const temporal = temporalSettings(settings);
  const engine = TemporalEngine.lazily(temporal, required(settings, 'COUNTERSIGN_HASH_KEY'));
  const signingKey = await parseSigningKey(required(settings, 'COUNTERSIGN_SIGNING_KEY'));
  const watch = new PostgresRunWatch(databaseUrl);
  const inboxWatch = new PostgresRunWatch(databaseUrl, 'countersign_inbox');
  const parts = apiParts({
    database,
    engine,
    signingKey,
    stripe: stripeSettings(settings),
    webhookSecret: settings.STRIPE_WEBHOOK_SECRET,
  });
  const { summarizer } = modelParts(settings);
  const dependencies = {
    ...parts,
    ...(summarizer ? { summarizer } : {}),
    watch,
    inboxWatch,
    version,
    callsPerMinute: settings.COUNTERSIGN_CALLS_PER_MINUTE,
    ...(temporal.encryptionKeys
      ? {
          payloads: {
            sealed: new TemporalSealedPayloads(temporal.encryptionKeys),
            uiOrigin: originOf(settings.COUNTERSIGN_TEMPORAL_UI_URL),
          },
        }
      : {}),
    readiness: {
      database: () => database.ping(),
      temporal: () => engine.ping(),
    },
    onUnexpected: (error: unknown, requestId: string) =>
      logger.error({ requestId, ...errorFields(error) }, 'unexpected error'),
  };
  const api = createApi(dependencies);
  // Loaded with the first agent that calls: most processes start for something else.
  let agents: Promise<(request: Request) => Promise<Response>> | undefined;
  const agentsDoor = async () =>
    (await import('../mcp/http.js')).mcpOverHttp({
      api: async (...request) => api.fetch(new Request(...request)),
      version,
      onUnexpected: (error) => logger.error(errorFields(error), 'unexpected error at /mcp'),
    });
  api.all('/mcp', async (c) => (await (agents ??= agentsDoor()))(c.req.raw));
  const temporalUiUrl = settings.COUNTERSIGN_TEMPORAL_UI_URL;
  const doors = pagesBeside(api, dependencies, {
    database,
    publicUrl: settings.COUNTERSIGN_PUBLIC_URL,
    temporalUi: temporalUiUrl ? { url: temporalUiUrl, namespace: settings.TEMPORAL_NAMESPACE } : undefined,
  });

  const server = serve(
    {
      fetch: doors.fetch,
      hostname: settings.COUNTERSIGN_HTTP_HOST,
      port: settings.COUNTERSIGN_HTTP_PORT ?? 8080,
    },
    (at) => logger.info({ port: at.port }, 'api listens'),
  );
  const deliveries = everySoOften(
    redeliverEveryMs,
    async () => {
      const delivered = await redeliver(parts);
      if (delivered > 0) logger.info({ delivered }, 'delivered what was owed');
    },
    (error) => logger.warn(errorFields(error), 'deliveries have to wait'),
  );

  const anchorEveryMs = settings.COUNTERSIGN_AUDIT_ANCHOR_MINUTES * 60_000;
  const anchors = everySoOften(
    Math.min(anchorLookMs, anchorEveryMs),
    async () => {
      const set = await anchorAll(parts, anchorEveryMs);
      if (set > 0) logger.info({ set }, 'audit log anchored');
    },
    (error) => logger.warn(errorFields(error), 'anchors have to wait'),
  );
  const schedules = everySoOften(
    lookForTenantsEveryMs,
    scheduleReconciliations(settings, parts.store, engine),
    (error) => logger.warn(errorFields(error), 'schedules of reconciliations have to wait'),
  );

  const sweeps = everySoOften(lookForTenantsEveryMs, scheduleSweeps(settings, parts.store, engine), (error) =>
    logger.warn(errorFields(error), 'schedules of retention sweeps have to wait'),
  );

  stopWithDignity(async () => {
    deliveries.stop();
    anchors.stop();
    schedules.stop();
    sweeps.stop();
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
    await Promise.allSettled([watch.close(), inboxWatch.close(), engine.close(), database.close()]);
  });
}

/** One round at a time, the next one only after the last has ended. */
function everySoOften(
  ms: number,
  round: () => Promise<void>,
  failed: (error: unknown) => void,
): { stop: () => void } {
  let timer: NodeJS.Timeout;
  const next = () => {
    timer = setTimeout(() => void round().catch(failed).finally(next), ms);
    timer.unref();
  };
  next();
  return { stop: () => clearTimeout(timer) };
}

function originOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).origin;
}
