import { CountersignError } from '../src/domain/errors';
import type { Progress } from '../src/domain/reconciliation/difference';
import type { Reconciliation } from '../src/ports/reconciliations';
import type { Dependencies } from './dependencies';
import { whileHeartbeating } from './heartbeat';
import { comparePayment } from './paymentComparison';

export interface PageToReconcile {
  readonly tenant: string;
  readonly reconciliationId: string;
  readonly at: Progress;
  /** Refunds a page, at most 100. */
  readonly pageSize: number;
}

/** Payments that are compared at the same time. */
const atOnce = 4;

/**
 * One page: the payments of a page of the provider's refunds, of our own movements, or of what was open before. Begun
 * again after a worker's death, it leaves out what it has compared, and is counted once.
 * @returns where it goes on
 */
export function reconcilePage(dependencies: Dependencies) {
  return async (page: PageToReconcile): Promise<Progress> => {
    const { tenant, reconciliationId, at } = page;
    const { store } = dependencies;
    const reconciliation = await store.inTenant(tenant, (unit) =>
      unit.reconciliations.find(reconciliationId),
    );
    if (!reconciliation) throw new CountersignError('not_started_here');
    if (!samePlace(reconciliation.progress, at)) return reconciliation.progress;
    return whileHeartbeating(async () => {
      const { paymentIds, next } = await paymentsOf(dependencies, page, reconciliation);
      const inFlight = await compareAll(dependencies, page, paymentIds);
      return store.inTenant(tenant, (unit) =>
        unit.reconciliations.advance(reconciliationId, at, next, inFlight),
      );
    });
  };
}

interface PageOfPayments {
  readonly paymentIds: readonly string[];
  readonly next: Progress;
}

async function paymentsOf(
  { store, payments }: Dependencies,
  { tenant, reconciliationId, at, pageSize: limit }: PageToReconcile,
  { from, to }: Reconciliation,
): Promise<PageOfPayments> {
  switch (at.side) {
    case 'provider': {
      const after = at.after === undefined ? {} : { after: at.after };
      const { refunds, next } = await payments.listRefunds({ from, to, limit, ...after });
      const own = await store.inTenant(tenant, (unit) => unit.books.ownAmong(refunds));
      return {
        paymentIds: [...own],
        next: next === null ? { side: 'ours' } : { side: 'provider', after: next },
      };
    }
    case 'ours': {
      const after = at.after === undefined ? {} : { after: at.after };
      const { paymentIds, next } = await store.inTenant(tenant, (unit) =>
        unit.reconciliations.movedPayments({ from, to, limit, ...after }),
      );
      return { paymentIds, next: next === null ? { side: 'open' } : { side: 'ours', after: next } };
    }
    case 'open': {
      const { paymentIds, next } = await store.inTenant(tenant, (unit) =>
        unit.differences.unseenPayments(reconciliationId, at.after, limit),
      );
      return { paymentIds, next: next === null ? { side: 'done' } : { side: 'open', after: next } };
    }
    case 'done':
      return { paymentIds: [], next: at };
  }
}

/** @returns those that are left for the next time */
async function compareAll(
  dependencies: Dependencies,
  { tenant, reconciliationId }: PageToReconcile,
  paymentIds: readonly string[],
): Promise<string[]> {
  const compared = await dependencies.store.inTenant(tenant, (unit) =>
    unit.reconciliations.comparedOf(reconciliationId, paymentIds),
  );
  const waiting = paymentIds.filter((paymentId) => !compared.has(paymentId));
  const inFlight: string[] = [];
  const worker = async () => {
    for (let paymentId = waiting.shift(); paymentId !== undefined; paymentId = waiting.shift()) {
      const outcome = await comparePayment(dependencies, { tenant, reconciliationId, paymentId });
      if (outcome === 'in_flight') inFlight.push(paymentId);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return inFlight;
}

function samePlace(recorded: Progress, at: Progress): boolean {
  return canonical(recorded) === canonical(at);
}

/** PostgreSQL keeps the members of an object in an order of its own. */
function canonical(progress: Progress): string {
  const after = 'after' in progress ? progress.after : undefined;
  const place = typeof after === 'object' ? [after.at, after.paymentId, after.seq] : [after];
  return JSON.stringify([progress.side, ...place]);
}
