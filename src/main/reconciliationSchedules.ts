import { ensureSchedule, removeSchedule } from '../adapters/temporal/reconciliations';
import type { TemporalEngine } from '../adapters/temporal/engine';
import type { Store } from '../ports/store';
import { forNewTenants } from './newTenants';
import type { Settings } from './settings';

/** Sees to it that each tenant has its schedule as the settings want it, or none. @returns one round */
export function scheduleReconciliations(
  settings: Pick<Settings, 'COUNTERSIGN_RECONCILE_SCHEDULE' | 'COUNTERSIGN_RECONCILE_WINDOW_DAYS'>,
  store: Pick<Store, 'tenants'>,
  { client }: Pick<TemporalEngine, 'client'>,
): () => Promise<void> {
  const { COUNTERSIGN_RECONCILE_SCHEDULE: cron, COUNTERSIGN_RECONCILE_WINDOW_DAYS: windowDays } = settings;
  return forNewTenants(store, (tenant) =>
    cron === 'off' ? removeSchedule(client, tenant) : ensureSchedule(client, tenant, { cron, windowDays }),
  );
}
