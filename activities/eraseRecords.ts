import type { ErasureInput } from '../src/domain/erasure/erasure';
import type { Dependencies } from './dependencies';
import { erasingOf } from './eraseRuns';
import { whileHeartbeating } from './heartbeat';

/**
 * Everything else that is kept of a person: memories, what was decided about them, conversations, the customer of payments.
 * Agent runs that worked on those words end.
 */
export function eraseRecords({ store, agent }: Pick<Dependencies, 'store' | 'agent'>) {
  return async ({ tenant, erasureId }: ErasureInput): Promise<void> =>
    whileHeartbeating(async () => {
      await store.inTenant(tenant, async (unit) => {
        const { subject, held } = await erasingOf(unit, erasureId);
        if (held) return;
        await unit.erasures.count(erasureId, await unit.personal.eraseRecords(erasureId, subject), 0);
      });
      await agent.endErased(tenant);
    });
}
