import type { TemporalEngine } from '../adapters/temporal/engine';
import { ensureSweeps, removeSweeps } from '../adapters/temporal/retention';
import type { Store } from '../ports/store';
import { forNewTenants } from './newTenants';
import type { Settings } from './settings';

/** Sees to it that each tenant is swept when the settings say so, or never. @returns one round */
export function scheduleSweeps(
  { COUNTERSIGN_RETENTION_SCHEDULE: cron }: Pick<Settings, 'COUNTERSIGN_RETENTION_SCHEDULE'>,
  store: Pick<Store, 'tenants'>,
  { client }: Pick<TemporalEngine, 'client'>,
): () => Promise<void> {
  return forNewTenants(store, (tenant) =>
    cron === 'off' ? removeSweeps(client, tenant) : ensureSweeps(client, tenant, cron),
  );
}
