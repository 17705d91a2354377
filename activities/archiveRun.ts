import { close } from '../src/domain/approval/decide';
import { CountersignError } from '../src/domain/errors';
import type { RefundResult } from '../src/domain/refund/state';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';

export interface RunToArchive {
  readonly tenant: string;
  readonly runId: string;
  readonly result: RefundResult;
  /** Who ended it, where a person did. */
  readonly endedBy?: string;
  readonly epoch: string;
  /** ms since the epoch, the workflow's own clock. */
  readonly now: number;
}

/**
 * The run's last row: final phase and result, its approval closed, and what it still holds given back. Called only
 * when the outcome is certain: an unknown outcome never ends a run (R8, R31). The agent run that proposed it hears of it.
 */
export function archiveRun({ store, agent }: Pick<Dependencies, 'store' | 'agent'>) {
  return async ({ tenant, runId, result, endedBy, epoch, now }: RunToArchive): Promise<void> => {
    const agentRun = await store.inTenant(tenant, async (unit) => {
      if (result.outcome !== 'completed') await refuseWhileMoneyMayHaveMoved(unit, runId);
      const stored = await unit.approvals.ofRun(runId);
      if (stored?.approval.status === 'open') {
        const status = result.outcome === 'expired' ? 'expired' : 'cancelled';
        await unit.approvals.save(close(stored.approval, status, endedBy ?? 'countersign', now), epoch);
      }
      if (result.outcome !== 'completed') await unit.ledger.release(runId);
      await unit.runs.change(runId, { phase: result.outcome, result });
      await unit.audit.append({
        runId,
        actor: endedBy ?? 'countersign',
        event: result.outcome,
        step: `archive:${epoch}`,
        after: { outcome: result.outcome, ...(result.amount ? { amount: result.amount } : {}) },
        ...(result.code === undefined ? {} : { reason: result.code }),
        ...(result.refundId === undefined ? {} : { providerId: result.refundId }),
      });
      const agentRun = await unit.agentRuns.ofRefund(runId);
      if (agentRun !== undefined) await unit.outbox.owe({ runId: agentRun, kind: 'agent', ref: runId });
      return agentRun;
    });
    if (agentRun !== undefined) await agent.wake({ tenant, runId: agentRun }, runId);
  };
}

/** An end without payment is only for a call that was never made, or that provably moved nothing. */
async function refuseWhileMoneyMayHaveMoved({ effects }: Unit, runId: string): Promise<void> {
  const effect = await effects.unresolvedOf(runId);
  if (!effect) return;
  throw new CountersignError(
    'run_not_cancellable',
    `the call to the provider is on record as ${effect.state}`,
  );
}
