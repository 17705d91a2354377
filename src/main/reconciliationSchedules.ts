import { ensureSchedule, removeSchedule } from '../adapters/temporal/reconciliations';
import type { TemporalEngine } from '../adapters/temporal/engine';
import type { Store } from '../ports/store';
import type { Settings } from './settings';

/**
 * Sees to it that each tenant has its schedule as the settings want it, or none. @returns one round: it looks for
 * tenants that this process has not seen to yet
 */
export function scheduleReconciliations(
  settings: Pick<Settings, 'COUNTERSIGN_RECONCILE_SCHEDULE' | 'COUNTERSIGN_RECONCILE_WINDOW_DAYS'>,
  store: Pick<Store, 'tenants'>,
  { client }: Pick<TemporalEngine, 'client'>,
): () => Promise<void> {
  const { COUNTERSIGN_RECONCILE_SCHEDULE: cron, COUNTERSIGN_RECONCILE_WINDOW_DAYS: windowDays } = settings;
  const seenTo = new Set<string>();
  return async () => {
    for (const tenant of await store.tenants()) {
      if (seenTo.has(tenant)) continue;
      if (cron === 'off') await removeSchedule(client, tenant);
      else await ensureSchedule(client, tenant, { cron, windowDays });
      seenTo.add(tenant);
    }
  };
}
