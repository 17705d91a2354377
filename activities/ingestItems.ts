import { CountersignError } from '../src/domain/errors';
import type { Dependencies } from './dependencies';
import { whileHeartbeating } from './heartbeat';

export interface ItemsToIngest {
  readonly tenant: string;
  readonly batchId: string;
  readonly limit: number;
}

export interface IngestedItems {
  readonly pace: 'on' | 'paused' | 'cancelled';
  readonly waiting: number;
}

/** Documents that are stored at the same time. */
const atOnce = 4;

/** The next documents of a batch, each in one transaction with its row, so that none is done twice or lost. */
export function ingestItems({ store, batches }: Pick<Dependencies, 'store' | 'batches'>) {
  return async ({ tenant, batchId, limit }: ItemsToIngest): Promise<IngestedItems> =>
    whileHeartbeating(async () => {
      const look = async (count: number) =>
        store.inTenant(tenant, async (unit) => {
          const batch = await unit.batches.find(batchId);
          if (!batch) throw new CountersignError('not_started_here');
          if (batch.state === 'checking') await unit.batches.change(batchId, { state: 'running' });
          const pace =
            batch.cancelledBy !== null
              ? ('cancelled' as const)
              : batch.paused
                ? ('paused' as const)
                : ('on' as const);
          const items = pace === 'on' && count > 0 ? await unit.batchItems.takeDocuments(batchId, count) : [];
          return { pace, items, waiting: await unit.batchItems.count(batchId, 'ready') };
        });
      const { items } = await look(limit);
      const left = [...items];
      const lane = async () => {
        for (let item = left.shift(); item; item = left.shift()) await batches.ingest(tenant, batchId, item);
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
      const { pace, waiting } = await look(0);
      return { pace, waiting };
    });
}
