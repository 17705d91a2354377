import { CountersignError } from '../src/domain/errors';
import type { ErasureInput } from '../src/domain/erasure/erasure';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';
import { whileHeartbeating } from './heartbeat';

export interface RunsToErase extends ErasureInput {
  /** The last run of the page before. */
  readonly after?: string;
  readonly limit: number;
}

/**
 * One page of a person's refunds: of each that has ended, first its histories in Temporal, then, once they are gone, what
 * its rows hold of persons. One that has not ended, or is under a legal hold, is left for another time.
 * @returns where it goes on, null at the end
 */
export function eraseRuns({ store, histories }: Pick<Dependencies, 'store' | 'histories'>) {
  return async ({ tenant, erasureId, after, limit }: RunsToErase): Promise<string | null> =>
    whileHeartbeating(async () => {
      const runs = await store.inTenant(tenant, async (unit) => {
        const { subject, held } = await erasingOf(unit, erasureId);
        return held ? [] : unit.personal.runsOf(subject, after, limit);
      });
      for (const { runId, ended, held } of runs) {
        if (!ended || held) continue;
        if ((await histories.erase(tenant, runId)) !== 'gone') continue;
        await store.inTenant(tenant, async (unit) => {
          const erased = await unit.personal.eraseRun(runId);
          await unit.erasures.count(erasureId, erased, 1);
        });
      }
      return runs.length < limit ? null : (runs.at(-1)?.runId ?? null);
    });
}

/** @throws CountersignError not_started_here where no such erasure goes on */
export async function erasingOf(
  { erasures, holds }: Unit,
  erasureId: string,
): Promise<{ subject: string; held: boolean }> {
  const erasure = await erasures.find(erasureId);
  if (erasure?.state !== 'erasing' || erasure.subject === null)
    throw new CountersignError('not_started_here', 'no such erasure goes on');
  return { subject: erasure.subject, held: await holds.holdsPerson(erasure.subject) };
}
