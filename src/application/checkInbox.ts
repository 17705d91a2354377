import { setTimeout as pause } from 'node:timers/promises';
import { CountersignError } from '../domain/errors';
import { groups } from '../domain/people';
import type { InboxPosition } from '../ports/inbox';
import type { Principal } from '../ports/people';
import type { RunStates } from '../ports/runStates';
import type { Unit } from '../ports/store';
import { workerPatienceMs, type UseCases } from './dependencies';
import { findDifference, type Finding, type InboxDifference } from './inboxDifference';
import { repairRow } from './repairInbox';

export interface InboxCheck extends Pick<UseCases, 'store'> {
  readonly runStates: RunStates;
}

/** First the open rows are gone through, then the runs that Temporal says wait for people. */
export type CheckPosition =
  | { readonly over: 'rows'; readonly after?: InboxPosition }
  | { readonly over: 'runs'; readonly after?: string };

export interface CheckedPage {
  /** Approvals compared. */
  readonly checked: number;
  readonly differences: readonly InboxDifference[];
  readonly next: CheckPosition | undefined;
}

/** Runs looked at at once; each may hold a connection while it is confirmed. */
const atOnce = 6;
const looks = 3;
const betweenLooksMs = 250;

/**
 * One page of the proof that the inbox is what the workflows have: every open row against its run, and every run that
 * waits for people against its row. With `repair` a row that differs is written anew from the run's state, in one transaction with its audit
 * row. Neither money nor a workflow is touched. A page takes at most about 20 s, also while no worker is up.
 * @throws CountersignError forbidden, invalid_request, dependency_unavailable
 */
export async function checkInbox(
  check: InboxCheck,
  principal: Principal,
  { repair, from, limit }: { repair: boolean; from: CheckPosition; limit: number },
): Promise<CheckedPage> {
  if (!principal.groups.includes(groups.admins))
    throw new CountersignError('forbidden', 'only an administrator checks the inbox');
  const { runIds, next } =
    from.over === 'rows'
      ? await openRows(check, principal, from.after, limit)
      : await waitingRuns(check, principal, from.after, limit);
  const differences: InboxDifference[] = [];
  for (let i = 0; i < runIds.length; i += atOnce) {
    const some = runIds.slice(i, i + atOnce).map((runId) => checkRun(check, principal, runId, repair));
    differences.push(...(await Promise.all(some)).filter((found) => found !== undefined));
  }
  return { checked: runIds.length, differences, next };
}

interface Page {
  readonly runIds: readonly string[];
  readonly next: CheckPosition | undefined;
}

async function openRows(
  { store }: InboxCheck,
  { tenant }: Principal,
  after: InboxPosition | undefined,
  limit: number,
): Promise<Page> {
  const { runIds, next } = await store.inTenant(tenant, (unit) => unit.inbox.open(after, limit));
  return { runIds, next: next ? { over: 'rows', after: next } : { over: 'runs' } };
}

/** Without those that have an open row: the rows' own pages have them. */
async function waitingRuns(
  { store, runStates }: InboxCheck,
  { tenant }: Principal,
  after: string | undefined,
  limit: number,
): Promise<Page> {
  const { runIds, next } = await runStates.waiting(tenant, after, limit);
  const shown = await store.inTenant(tenant, async ({ inbox }) => {
    const open: string[] = [];
    for (const runId of runIds) if ((await inbox.row(runId))?.columns.status === 'open') open.push(runId);
    return open;
  });
  return {
    runIds: runIds.filter((runId) => !shown.includes(runId)),
    next: next === undefined ? undefined : { over: 'runs', after: next },
  };
}

/** A run goes on while it is looked at, so what differs counts only once it differs with nothing in progress. */
async function checkRun(
  check: InboxCheck,
  principal: Principal,
  runId: string,
  repair: boolean,
): Promise<InboxDifference | undefined> {
  const { store, runStates } = check;
  const { tenant } = principal;
  for (let look = 1; ; look += 1) {
    const state = await runStates.look(tenant, runId, workerPatienceMs);
    const row = await store.inTenant(tenant, ({ inbox }) => inbox.row(runId));
    const found = findDifference(runId, row, state);
    if (!found || found.kind === 'unanswered') return found && told(found, false);
    const settled = await store.inTenant(tenant, (unit) => settle(check, unit, principal, runId, repair));
    if (settled !== 'moving') return settled;
    if (look === looks) return told(inProgress(found), false);
    await pause(betweenLooksMs);
  }
}

/**
 * With the row locked no step of the run can write it. What a step or a decision on its way has written already, the run
 * may not know yet: taken for drift and repaired, it would be lost.
 */
async function settle(
  { runStates }: InboxCheck,
  unit: Unit,
  principal: Principal,
  runId: string,
  repair: boolean,
): Promise<InboxDifference | undefined | 'moving'> {
  const row = await unit.inbox.lockRow(runId);
  if (await unit.outbox.owes(runId)) return 'moving';
  const state = await runStates.look(principal.tenant, runId, workerPatienceMs);
  if (state.kind === 'running' && !state.atRest) return 'moving';
  const found = findDifference(runId, row, state);
  if (!found) return undefined;
  return told(found, repair && (await repairRow(unit, principal, found)));
}

function inProgress(found: Finding): Finding {
  return {
    ...found,
    kind: 'unanswered',
    fields: [],
    explanation: 'something about it is in progress or on its way; check again',
  };
}

function told({ kind, runId, approvalId, fields, explanation }: Finding, repaired: boolean): InboxDifference {
  return { kind, runId, approvalId, fields, explanation, repaired };
}
