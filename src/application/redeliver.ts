import { CountersignError } from '../domain/errors';
import { cancelStep } from '../domain/steps';
import type { Delivery } from '../ports/store';
import { startOf } from './batches/carry';
import { deliverBySignal } from './decide';
import { refundChanged, type ProviderNews } from './providerNews';
import { inputOf } from './intake';
import { startRule } from './memoryProposals';
import { deliverReview } from './reviewRefund';

/** A delivery younger than this is still being made by the request that owes it, ms. */
const patienceMs = 4_000;
const perRound = 200;

/**
 * Delivers to Temporal what is still owed: starts, decisions, cancels and reviews after an outage, and what a
 * reconciliation has found out about a run's refund. Safe to run from several
 * processes; everything delivered twice has one effect. @returns how many were delivered
 */
export async function redeliver(useCases: ProviderNews): Promise<number> {
  let delivered = 0;
  for (const delivery of await useCases.store.owed(patienceMs, perRound)) {
    try {
      await redeliverOne(useCases, delivery);
      delivered += 1;
    } catch (error) {
      // Temporal is still away: the rest would only wait for it too.
      if (error instanceof CountersignError && error.code === 'dependency_unavailable') return delivered;
      throw error;
    }
  }
  return delivered;
}

async function redeliverOne(useCases: ProviderNews, { tenant, runId, kind, ref }: Delivery): Promise<void> {
  const { store, engine } = useCases;
  const done = () => store.inTenant(tenant, (unit) => unit.outbox.done({ runId, kind, ref }));
  switch (kind) {
    case 'start': {
      const run = await store.inTenant(tenant, (unit) => unit.runs.find(runId));
      if (run) await engine.start(inputOf(run), run.customer);
      return done();
    }
    case 'decision': {
      const stored = await store.inTenant(tenant, async (unit) => {
        const approval = await unit.approvals.ofRun(runId);
        return approval && unit.decisions.find(approval.approval.id, ref);
      });
      // One that a worker has applied already is handed over too: the history may have lost it with Temporal.
      if (!stored) return done();
      return deliverBySignal(useCases, stored.envelope);
    }
    case 'review': {
      const [run, order] = await store.inTenant(tenant, async (unit) => [
        await unit.runs.find(runId),
        await unit.reviews.find(ref),
      ]);
      // One that a worker has applied already is handed over too: the history may have lost it with Temporal.
      if (!run || !order) return done();
      return deliverReview(useCases, run, order);
    }
    case 'news': {
      // Once: what could not be handled now is found again by the next reconciliation, and must not hold up the rest.
      await done();
      return refundChanged(useCases, ref).catch(unlessKnown);
    }
    case 'erasure': {
      await engine.erasePerson({ tenant, erasureId: runId });
      return done();
    }
    case 'batch': {
      const batch = await store.inTenant(tenant, (unit) => unit.batches.find(runId));
      if (batch) await engine.carryBatch(startOf(batch));
      return done();
    }
    case 'agent': {
      await engine.wakeAgentRun({ tenant, runId });
      return done();
    }
    case 'memory': {
      if (ref === 'start') await startRule(useCases, tenant, runId);
      // Its candidate is gone, and whoever is asked about it has to hear of that.
      else await engine.signalCancel(tenant, runId, 'countersign');
      return done();
    }
    case 'cancel': {
      // One that an earlier version took has no such row yet.
      const asked = { runId, actor: ref, event: 'cancel_requested', step: cancelStep(ref) };
      await store.inTenant(tenant, (unit) => unit.audit.append(asked));
      await engine.signalCancel(tenant, runId, ref);
      return done();
    }
  }
}

function unlessKnown(error: unknown): void {
  if (!(error instanceof CountersignError)) throw error;
}
