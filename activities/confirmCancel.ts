import { isCandidateId } from '../src/domain/contract';
import { cancelStep } from '../src/domain/steps';
import type { Dependencies } from './dependencies';

export interface CancelToConfirm {
  readonly tenant: string;
  readonly runId: string;
  /** Whom the message names. */
  readonly actor: string;
}

/** A cancel counts when the door has recorded it, where it knew who asked; one that it has not is on record as refused. */
export function confirmCancel({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, runId, actor }: CancelToConfirm): Promise<{ onRecord: boolean }> =>
    store.inTenant(tenant, async (unit) => {
      // A rule of procedure is cancelled by whatever has taken its candidate away; nobody asks for it.
      if (isCandidateId(runId) && (await unit.memoryReviews.candidate(runId))?.status !== 'waiting')
        return { onRecord: true };
      if (await unit.audit.has(runId, cancelStep(actor))) return { onRecord: true };
      await unit.audit.append({
        runId,
        actor: 'countersign',
        event: 'cancel_refused',
        step: `cancel_refused:${actor}`,
        after: { claimed: actor },
        reason: 'forbidden',
      });
      return { onRecord: false };
    });
}
