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
 * Where nothing is left to be erased, looks through every table of the tenant, whatever its columns, for somebody who
 * should be gone. If nothing is found, the erasure is finished: its row keeps counts and no name. Otherwise it says what
 * it waits for. @returns `soon`: Temporal is still deleting
 */
export function proveErasure({ store, reasonToKeep }: Pick<Dependencies, 'store' | 'reasonToKeep'>) {
  return async ({ tenant, erasureId }: ErasureInput): Promise<{ finished: boolean; soon: boolean }> =>
    whileHeartbeating(() =>
      store.inTenant(tenant, async (unit) => {
        const { subject, held } = await erasingOf(unit, erasureId);
        const left = await obstacles(unit, subject, held);
        const found: Found =
          left.length > 0 ? { looked: {}, kept: {} } : await lookThrough(unit, subject, reasonToKeep);
        const waitingFor = [...left, ...stillNamed(found)];
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
        return { finished, soon: codes.includes('histories_deleting') };
      }),
    );
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

function stillNamed({ looked }: Found): WaitingFor[] {
  const tables = Object.keys(looked).filter((table) => looked[table] !== 0);
  const count = tables.reduce((sum, table) => sum + (looked[table] ?? 0), 0);
  return count === 0 ? [] : [{ code: 'still_named', count, tables }];
}

async function obstacles(unit: Unit, subject: string, held: boolean): Promise<WaitingFor[]> {
  const left: RunOfPerson[] = [];
  for (let page = await unit.personal.runsOf(subject, undefined, pageSize); page.length > 0;) {
    left.push(...page);
    if (page.length < pageSize) break;
    page = await unit.personal.runsOf(subject, page.at(-1)?.runId, pageSize);
  }
  const free = left.filter((run) => !run.held);
  const ended = free.filter((run) => run.ended).length;
  const waiting: WaitingFor[] = [
    { code: 'legal_hold', count: held ? 1 : 0 },
    { code: 'refunds_held', count: left.length - free.length },
    { code: 'refunds_unfinished', count: free.length - ended },
    { code: 'histories_deleting', count: ended },
  ];
  return waiting.filter(({ count }) => count > 0);
}
