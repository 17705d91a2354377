import { startProvider } from '../sandbox/provider/startProvider';
import { createLogger } from './logger';
import { stopWithDignity } from './processLife';
import { required, type Settings } from './settings';

/** The sandbox payment provider: a simulation that moves no money, in a process and a database of its own. */
export async function runProvider(settings: Settings): Promise<void> {
  const logger = createLogger('sandbox-provider', settings.LOG_LEVEL);
  const provider = await startProvider({
    databaseUrl: required(settings, 'DATABASE_URL'),
    host: settings.COUNTERSIGN_HTTP_HOST,
    port: settings.COUNTERSIGN_HTTP_PORT ?? 12111,
    apiKeys: [required(settings, 'STRIPE_API_KEY')],
    adminToken: settings.COUNTERSIGN_SANDBOX_ADMIN_TOKEN ?? required(settings, 'STRIPE_API_KEY'),
    idempotencyKeyTtlMs: settings.COUNTERSIGN_SANDBOX_KEY_EXPIRY_SECONDS * 1_000,
    logger,
  });
  logger.info({ url: provider.url }, 'sandbox provider listens; it is a simulation');
  stopWithDignity(() => provider.close());
}
