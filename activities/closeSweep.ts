import type { RowCounts } from '../src/domain/retention/retention';
import type { Dependencies } from './dependencies';

export interface SweepToClose {
  readonly tenant: string;
  readonly sweepId: string;
  readonly requestedBy: string;
  readonly swept: RowCounts;
}

/** The audit row of a sweep: how many rows of which tables, under which rule, and how many holds stood. Counts only. */
export function closeSweep({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, sweepId, requestedBy, swept }: SweepToClose): Promise<void> => {
    await store.inTenant(tenant, async (unit) => {
      const { runDays, memoryDays, turnDays } = await unit.retention.rule();
      await unit.audit.append({
        runId: sweepId,
        actor: requestedBy === 'schedule' ? 'countersign' : requestedBy,
        event: 'retention_swept',
        step: 'close_sweep',
        after: { swept, rule: { runDays, memoryDays, turnDays }, holds: await unit.holds.standing() },
      });
    });
  };
}
