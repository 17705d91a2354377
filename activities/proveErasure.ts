import type { ErasureInput, ErasureReport, WaitingFor } from '../src/domain/erasure/erasure';
import type { RunOfPerson } from '../src/ports/erasures';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';
import { erasingOf } from './eraseRuns';
import { whileHeartbeating } from './heartbeat';

const pageSize = 200;
/** It holds the person's id itself, which goes with its end. */
const itself = 'erasures';

/**
 * Looks through every table of the tenant, whatever its columns, for somebody who should be gone. Where nothing is
 * found, and nothing is left, the erasure is finished: its row keeps counts and no name. Otherwise it says what it
 * waits for.
 */
export function proveErasure({ store, reasonToKeep }: Pick<Dependencies, 'store' | 'reasonToKeep'>) {
  return async ({ tenant, erasureId }: ErasureInput): Promise<{ finished: boolean }> =>
    whileHeartbeating(async () => {
      const found = await store.inTenant(tenant, async (unit) => {
        const { subject } = await erasingOf(unit, erasureId);
        return lookThrough(unit, subject, reasonToKeep);
      });
      return store.inTenant(tenant, async (unit) => {
        const { subject, held } = await erasingOf(unit, erasureId);
        const waitingFor = await obstacles(unit, subject, held, found);
        const finished = waitingFor.length === 0;
        if (finished) await unit.erasures.finish(erasureId, found);
        else await unit.erasures.wait(erasureId, waitingFor, found);
        const report = (await unit.erasures.find(erasureId))?.report;
        const codes = waitingFor.map(({ code }) => code);
        await unit.audit.append({
          runId: erasureId,
          actor: 'countersign',
          event: finished ? 'erasure_finished' : 'erasure_waiting',
          step: `erasure_${finished ? 'finished' : `waiting:${codes.join('+')}`}`,
          after: finished ? { erased: report?.erased, histories: report?.histories } : { waitingFor },
        });
        return { finished };
      });
    });
}

type Found = Pick<ErasureReport, 'looked' | 'kept'>;

/** Somebody who holds keys, or held some, acted under his handle, which stays; what is his own must be gone all the same. */
async function lookThrough(
  { personal, directory }: Unit,
  subject: string,
  reasonToKeep: Dependencies['reasonToKeep'],
): Promise<Found> {
  const isHandle = (await directory.person(subject)) !== undefined;
  const looked: Record<string, number> = {};
  const kept: Record<string, { rows: number; reason: string }> = {};
  for (const table of await personal.tables()) {
    if (table === itself) continue;
    const rows = await personal.mentions(table, subject);
    const reason = isHandle ? 'a handle: who acted stays on record' : reasonToKeep(table);
    if (rows > 0 && reason !== undefined) kept[table] = { rows, reason };
    looked[table] = rows > 0 && reason !== undefined ? 0 : rows;
  }
  return { looked, kept };
}

async function obstacles(
  unit: Unit,
  subject: string,
  held: boolean,
  { looked }: Found,
): Promise<WaitingFor[]> {
  const left: RunOfPerson[] = [];
  for (let page = await unit.personal.runsOf(subject, undefined, pageSize); page.length > 0;) {
    left.push(...page);
    if (page.length < pageSize) break;
    page = await unit.personal.runsOf(subject, page.at(-1)?.runId, pageSize);
  }
  const underHold = left.filter((run) => run.held).length;
  const tables = Object.keys(looked).filter((table) => looked[table] !== 0);
  const named = Object.values(looked).reduce((sum, rows) => sum + rows, 0);
  const waiting: WaitingFor[] = [
    { code: 'legal_hold', count: held ? 1 : 0 },
    { code: 'refunds_held', count: underHold },
    { code: 'refunds_unfinished', count: left.length - underHold },
    { code: 'still_named', count: left.length > 0 || held ? 0 : named, tables },
  ];
  return waiting.filter(({ count }) => count > 0);
}
