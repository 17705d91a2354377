import { z } from 'zod';
import { isSameIdentity } from '../../domain/access/identity';
import { cutText } from '../../domain/context/facts';
import { CountersignError } from '../../domain/errors';
import { leftToRedelivery } from '../../domain/outage';
import { pauseAsked, resumed } from '../../domain/agent/progress';
import {
  newAgentState,
  type AgentRunInput,
  type AgentRunStatus,
  type AgentState,
} from '../../domain/agent/state';
import { candidateSchema } from '../../domain/memory/candidate';
import { groups } from '../../domain/people';
import { externalId, freeText } from '../../domain/refund/request';
import type { AgentRun, AgentRunPosition } from '../../ports/agentRuns';
import type { Engine } from '../../ports/engine';
import type { Principal } from '../../ports/people';
import type { Store, Unit } from '../../ports/store';
import { appendTurns } from '../appendTurns';
import { refuseSensitive, refuseSensitiveIds } from '../freeText';
import { fingerprintOf, idFrom } from '../intake';
import { actsForOthers, scopeFor } from '../memory';
import { humanBehind } from '../onBehalfOf';
import { startThread } from '../threads';
import { timelineEntry, type TimelineEntry } from '../views';
import { changeAgentRun } from './changeAgentRun';

export interface AgentRunUseCases {
  readonly store: Store;
  readonly engine: Pick<Engine, 'wakeAgentRun'>;
}

/** The body of `POST /v1/runs`. */
export const agentRunBody = z.strictObject({
  goal: freeText.trim().min(1).max(2_000).describe('What is to be reached, in words'),
  threadId: externalId
    .optional()
    .describe('The conversation that it is about; without one, one begins with the goal'),
  ownerId: candidateSchema.shape.ownerId
    .optional()
    .describe("Whose conversation that is; the caller's own, or that of the person he asks for, without it"),
  onBehalfOf: freeText
    .min(1)
    .max(128)
    .optional()
    .describe('The human behind a service or agent, in any spelling of his id'),
  maxStepsPerRun: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe('The run pauses after as many steps, until it is resumed'),
});
export type AgentRunBody = z.infer<typeof agentRunBody>;

/**
 * Takes in an agent run. The run's id comes from tenant and key, so the same key and body give the same run.
 * @throws CountersignError sensitive_text, thread_unknown, invalid_request, forbidden, idempotency_conflict
 */
export async function startAgentRun(
  useCases: AgentRunUseCases,
  principal: Principal,
  idempotencyKey: string,
  body: AgentRunBody,
): Promise<AgentRun> {
  const { goal, threadId, ownerId, maxStepsPerRun = null } = body;
  refuseSensitive('goal', goal);
  refuseSensitiveIds({ 'Idempotency-Key': idempotencyKey, threadId, ownerId, onBehalfOf: body.onBehalfOf });
  const { tenant, id: requester } = principal;
  const runId = idFrom('agr', tenant, idempotencyKey);
  const fingerprint = fingerprintOf(body);
  const { onBehalfOf } = await humanBehind(useCases, tenant, body.onBehalfOf);
  const known = await useCases.store.inTenant(tenant, ({ agentRuns }) => agentRuns.find(runId));
  if (known) return sameOrConflict(principal, known, fingerprint);

  const thread = await threadFor(useCases, principal, runId, { goal, threadId, ownerId, onBehalfOf });
  const state = newAgentState({ runId, tenantId: tenant, conversationId: thread.id, maxStepsPerRun });
  const run = await useCases.store.inTenant(tenant, async (unit) => {
    const made = await unit.agentRuns.create({
      ...{ runId, fingerprint, requester, keyId: principal.key.id, state, goal },
      ...{ owner: thread.owner, onBehalfOf: onBehalfOf ?? null },
    });
    if (made) {
      await unit.outbox.owe({ runId, kind: 'agent', ref: 'start' });
      await unit.audit.append({
        runId,
        actor: requester,
        event: 'agent_run_requested',
        step: 'request',
        after: { conversationId: thread.id, maxStepsPerRun },
      });
    }
    return unit.agentRuns.find(runId);
  });
  if (!run) throw new CountersignError('internal', 'the run was taken in, but is not there');
  await wake(useCases, run, 'start');
  return sameOrConflict(principal, run, fingerprint);
}

/** @throws CountersignError not_found, also for a run of another tenant, or of somebody else's conversation */
export async function showAgentRun(
  { store }: Pick<AgentRunUseCases, 'store'>,
  principal: Principal,
  runId: string,
): Promise<AgentRun> {
  return store.inTenant(principal.tenant, (unit) => visible(unit, principal, runId));
}

/** Every transition so far, with who and when. @throws as `showAgentRun` */
export async function agentRunTimeline(
  useCases: Pick<AgentRunUseCases, 'store'>,
  principal: Principal,
  runId: string,
): Promise<TimelineEntry[]> {
  return (await lookAtAgentRun(useCases, principal, runId)).transitions;
}

/** The run as it is and then every transition so far, for whoever watches it. @throws as `showAgentRun` */
export async function lookAtAgentRun(
  { store }: Pick<AgentRunUseCases, 'store'>,
  principal: Principal,
  runId: string,
): Promise<{ run: AgentRun; transitions: TimelineEntry[] }> {
  return store.inTenant(principal.tenant, async (unit) => ({
    run: await visible(unit, principal, runId),
    transitions: (await unit.audit.ofRun(runId)).map(timelineEntry),
  }));
}

async function visible({ agentRuns }: Unit, principal: Principal, runId: string): Promise<AgentRun> {
  const run = await agentRuns.find(runId);
  if (!run || !sees(principal, run)) throw new CountersignError('not_found');
  return run;
}

/** Newest first; of a person who is no administrator, those that concern him. */
export async function listAgentRuns(
  { store }: Pick<AgentRunUseCases, 'store'>,
  principal: Principal,
  page: { readonly status?: AgentRunStatus; readonly after?: AgentRunPosition; readonly limit: number },
): Promise<{ items: AgentRun[]; next: AgentRunPosition | undefined }> {
  const seenBy = actsForOthers(principal) ? {} : { seenBy: principal.id };
  return store.inTenant(principal.tenant, ({ agentRuns }) => agentRuns.list({ ...page, ...seenBy }));
}

/** @throws CountersignError not_found, forbidden, version_conflict, agent_run_ended */
export async function pauseAgentRun(
  useCases: AgentRunUseCases,
  principal: Principal,
  runId: string,
  expectedVersion?: number,
): Promise<AgentRun> {
  return order(useCases, principal, runId, pauseAsked, expectedVersion);
}

/** @throws CountersignError not_found, forbidden, version_conflict, agent_run_ended, agent_run_not_paused */
export async function resumeAgentRun(
  useCases: AgentRunUseCases,
  principal: Principal,
  runId: string,
  expectedVersion?: number,
): Promise<AgentRun> {
  return order(useCases, principal, runId, resumed, expectedVersion);
}

async function order(
  useCases: AgentRunUseCases,
  principal: Principal,
  runId: string,
  change: (state: AgentState) => AgentState,
  expectedVersion: number | undefined,
): Promise<AgentRun> {
  const before = await showAgentRun(useCases, principal, runId);
  if (!mayDirect(principal, before))
    throw new CountersignError(
      'forbidden',
      'only whoever started it, is behind it, or administers pauses and resumes a run',
    );
  const at = { tenant: principal.tenant, runId };
  const as = { expectedVersion, wakes: true };
  const changed = await changeAgentRun(useCases.store, at, principal.id, change, as);
  await wake(useCases, changed, `order:${changed.version}`);
  return changed;
}

/** Owed in the outbox too: a Temporal that does not answer now gets it later. */
export async function wake(
  { engine, store }: AgentRunUseCases,
  { tenant, runId }: AgentRunInput,
  ref: string,
): Promise<void> {
  try {
    await engine.wakeAgentRun({ tenant, runId });
  } catch (error) {
    return leftToRedelivery(error);
  }
  await store.inTenant(tenant, (unit) => unit.outbox.done({ runId, kind: 'agent', ref }));
}

/** An existing thread of whoever may be meant, or a new one that begins with the goal. */
async function threadFor(
  { store }: AgentRunUseCases,
  principal: Principal,
  runId: string,
  {
    goal,
    threadId,
    ownerId,
    onBehalfOf,
  }: { readonly [key in 'threadId' | 'ownerId' | 'onBehalfOf']: string | undefined } & {
    readonly goal: string;
  },
): Promise<{ id: string; owner: string }> {
  if (threadId === undefined) {
    const { id, ownerId: owner } = await startThread(
      { store },
      principal,
      { ownerId, title: cutText(goal, 150) },
      runId,
    );
    const message = { role: 'note', text: goal, clientMessageId: `${runId}:goal` } as const;
    await appendTurns({ store }, principal, id, { messages: [message] }, owner);
    return { id, owner };
  }
  const owners = ownerId === undefined ? [principal.id, onBehalfOf] : [ownerId];
  for (const owner of owners) {
    if (owner === undefined) continue;
    const scope = scopeFor(principal, owner);
    const thread = await store.inTenant(scope.tenant, ({ threads }) => threads.find(scope.owner, threadId));
    if (thread) return thread;
  }
  const issues = [{ path: 'threadId', message: 'no such thread of this owner' }];
  throw new CountersignError('thread_unknown', undefined, { issues });
}

/** Keys can be guessed: what somebody may not see is told him by none either. */
function sameOrConflict(principal: Principal, run: AgentRun, fingerprint: string): AgentRun {
  const isSeen = sees(principal, run);
  if (!isSeen || run.fingerprint !== fingerprint)
    throw new CountersignError('idempotency_conflict', undefined, isSeen ? { runId: run.runId } : {});
  return run;
}

function sees(principal: Principal, { requester, texts }: AgentRun): boolean {
  const concerned = [requester, texts?.onBehalfOf, texts?.owner];
  return actsForOthers(principal) || concerned.some((id) => isSameIdentity(id, principal.id));
}

/** Whether he may pause and resume it. */
export function mayDirect(principal: Principal, { requester, texts }: AgentRun): boolean {
  const own = [requester, texts?.onBehalfOf].some((id) => isSameIdentity(id, principal.id));
  return own || principal.groups.includes(groups.admins);
}
