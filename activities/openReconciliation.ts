import type { Dependencies } from './dependencies';

export interface ReconciliationToOpen {
  readonly tenant: string;
  readonly reconciliationId: string;
  readonly requestedBy: string;
  readonly windowDays: number;
  /** ms since the epoch: the end of the window. */
  readonly now: number;
}

const dayMs = 24 * 3_600_000;

/** The row that people see. One that the door has written already keeps its own window. */
export function openReconciliation({ store }: Pick<Dependencies, 'store'>) {
  return async ({
    tenant,
    reconciliationId: id,
    requestedBy,
    windowDays,
    now,
  }: ReconciliationToOpen): Promise<void> => {
    await store.inTenant(tenant, async (unit) => {
      await unit.reconciliations.create({ id, requestedBy, from: now - windowDays * dayMs, to: now });
      await unit.reconciliations.begin(id);
      await unit.audit.append({
        runId: id,
        actor: requestedBy,
        event: 'reconciliation_started',
        step: 'open_reconciliation',
        after: { windowDays },
      });
    });
  };
}
