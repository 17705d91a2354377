import { CountersignError, type ErrorCode } from '../src/domain/errors';
import type { ReconcileResult } from '../src/domain/reconciliation/difference';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';

export interface ReconciliationToClose {
  readonly tenant: string;
  readonly reconciliationId: string;
  /** Why it could not be finished. */
  readonly code?: ErrorCode;
}

/** The last row, and the word to those who review: once, and only where something is open that was seen this time. */
export function closeReconciliation({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, reconciliationId: id, code }: ReconciliationToClose): Promise<ReconcileResult> => {
    const state = code === undefined ? 'finished' : 'failed';
    await store.inTenant(tenant, async (unit) => {
      await unit.reconciliations.finish(id, state, code);
      const done = await unit.reconciliations.find(id);
      if (!done) throw new CountersignError('not_started_here');
      const open = await unit.differences.countOpen(id);
      await unit.audit.append({
        runId: id,
        actor: 'countersign',
        event: `reconciliation_${state}`,
        step: 'close_reconciliation',
        after: { pages: done.pages, compared: done.compared, inFlight: done.inFlight, open },
        ...(code === undefined ? {} : { reason: code }),
      });
      if (open > 0 || code !== undefined)
        await tell(unit, id, { open, ...(code === undefined ? {} : { code }) });
    });
    return { reconciliationId: id, state };
  };
}

async function tell(unit: Unit, id: string, data: Readonly<Record<string, unknown>>): Promise<void> {
  const { document } = await unit.policies.newest();
  await unit.notifications.tell({
    key: `${id}:differences`,
    runId: id,
    recipient: `group:${document.reviewGroup}`,
    template: 'differences_found',
    data,
  });
}
