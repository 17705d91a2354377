import type { RowCounts } from '../src/domain/retention/retention';
import type { Dependencies } from './dependencies';
import { whileHeartbeating } from './heartbeat';

export interface BatchToSweep {
  readonly tenant: string;
  /** Rows of each place, at most. */
  readonly limit: number;
}

export interface SweptBatch {
  readonly swept: RowCounts;
  readonly more: boolean;
}

/** One bounded batch of every place, each in a transaction of its own; what is under a legal hold is left alone. */
export function sweepRetention({ store, histories }: Pick<Dependencies, 'store' | 'histories'>) {
  return async ({ tenant, limit }: BatchToSweep): Promise<SweptBatch> =>
    whileHeartbeating(async () => {
      const swept: Record<string, number> = {};
      const runs = await store.inTenant(tenant, (unit) => unit.retention.agedRuns(limit));
      for (const runId of runs) {
        if ((await histories.erase(tenant, runId)) === 'running') continue;
        await store.inTenant(tenant, (unit) => unit.personal.eraseRun(runId));
        swept['runs'] = (swept['runs'] ?? 0) + 1;
      }
      swept['payments'] = await store.inTenant(tenant, (unit) => unit.retention.sweepPayments(limit));
      const ofBatches = await store.inTenant(tenant, (unit) => unit.retention.sweepBatches(limit));
      [swept['batch_items'], swept['batches']] = [ofBatches.rows, ofBatches.batches];
      for (const table of await store.inTenant(tenant, (unit) => unit.retention.ownedTables()))
        swept[table] = await store.inTenant(tenant, (unit) => unit.retention.sweepRows(table, limit));
      return { swept, more: Object.values(swept).some((rows) => rows >= limit) };
    });
}
