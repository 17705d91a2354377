import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { CountersignError } from '../domain/errors';
import { factsIn } from '../domain/context/facts';
import { freeText } from '../domain/refund/request';
import { candidateSchema, type MemoryScope } from '../domain/memory/candidate';
import type { Principal } from '../ports/people';
import type { Store, Unit } from '../ports/store';
import type { Thread, ThreadPosition } from '../ports/threads';
import type { Turn } from '../domain/thread/turn';
import { pageOf } from '../domain/page';
import { refuseSensitive, refuseSensitiveIds } from './freeText';
import { idFrom } from './intake';
import { scopeFor } from './memory';
import { iso } from './viewParts';

interface Stored {
  readonly store: Store;
}

/** The body of `POST /v1/threads`; the owner is the caller unless named. */
export const threadBody = z.strictObject({
  ownerId: candidateSchema.shape.ownerId.optional(),
  title: freeText.min(1).max(200).optional(),
});
export type ThreadBody = z.infer<typeof threadBody>;

/**
 * Begins a thread. The same key gives the same thread; without a key it is always another one.
 * @throws CountersignError sensitive_text, memory_scope_invalid, forbidden, idempotency_conflict
 */
export async function startThread(
  { store }: Stored,
  principal: Principal,
  {
    ownerId,
    title = null,
  }: { readonly ownerId?: string | undefined; readonly title?: string | null | undefined },
  idempotencyKey: string | undefined,
): Promise<ThreadView> {
  refuseSensitive('title', title ?? undefined);
  refuseSensitiveIds({ 'Idempotency-Key': idempotencyKey });
  const { tenant, owner } = scopeFor(principal, ownerId);
  const id = idFrom(
    'thr',
    tenant,
    idempotencyKey === undefined ? randomUUID() : `${owner}\n${idempotencyKey}`,
  );
  return store.inTenant(tenant, async ({ threads }) => {
    await threads.create({ id, owner, title, createdBy: principal.id });
    const thread = await requireThread(threads, owner, id);
    if (thread.title !== title)
      throw new CountersignError('idempotency_conflict', undefined, { threadId: id });
    return threadView(thread);
  });
}

/** Threads of `owner`, by default of the caller, newest first. @throws CountersignError memory_scope_invalid, forbidden */
export async function listThreads(
  { store }: Stored,
  principal: Principal,
  page: { readonly after: ThreadPosition | undefined; readonly limit: number },
  owner?: string,
): Promise<{ items: ThreadView[]; next: ThreadPosition | undefined }> {
  const scope = scopeFor(principal, owner);
  return store.inTenant(scope.tenant, async ({ threads }) => {
    const { items, next } = await threads.list(scope.owner, page.after, page.limit);
    return { items: items.map(threadView), next };
  });
}

/**
 * A thread that this identity may look at.
 * @throws CountersignError not_found: also for a thread of another owner or tenant; memory_scope_invalid
 */
export async function openThread(
  { store }: Stored,
  principal: Principal,
  id: string,
  owner?: string,
): Promise<Thread> {
  const scope = scopeOfThread(principal, owner);
  return store.inTenant(scope.tenant, ({ threads }) => requireThread(threads, scope.owner, id));
}

/** Turns by seq, of a thread that was opened. */
export async function listTurns(
  { store }: Stored,
  { tenant }: Principal,
  { id, owner }: Thread,
  page: { readonly after: number; readonly limit: number; readonly mentions?: string | undefined },
): Promise<{ items: TurnView[]; next: number | undefined }> {
  // As it was extracted when it was written down.
  const sought = page.mentions === undefined ? undefined : (factsIn(page.mentions)[0]?.text ?? page.mentions);
  return store.inTenant(tenant, async ({ threads }) => {
    const found = await threads.turns(owner, id, {
      after: page.after,
      limit: page.limit + 1,
      ...(sought === undefined ? {} : { mentions: sought }),
    });
    const { page: turns, last } = pageOf(found, page.limit);
    return { items: turns.map(turnView), next: last?.seq };
  });
}

async function requireThread(threads: Unit['threads'], owner: string, id: string): Promise<Thread> {
  const thread = await threads.find(owner, id);
  if (!thread) throw new CountersignError('not_found');
  return thread;
}

/** By id, whoever may not look at that owner's threads is answered as if there were none. */
export function scopeOfThread(principal: Principal, owner: string | undefined): MemoryScope {
  try {
    return scopeFor(principal, owner);
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'forbidden')
      throw new CountersignError('not_found');
    throw error;
  }
}

/**
 * A thread's id on a refund. One of ours (`thr_…`) has to be of whoever asks, of the person he asks for, or of the customer
 * that the body names; every other id is that of a conversation somewhere else, and only kept.
 * @throws CountersignError thread_unknown
 */
export async function checkThreadOfRefund(
  { store }: Stored,
  principal: Principal,
  {
    threadId,
    onBehalfOf,
    customerId,
  }: {
    readonly threadId?: string | undefined;
    readonly onBehalfOf?: string | undefined;
    readonly customerId?: string | undefined;
  },
): Promise<void> {
  if (threadId === undefined || !threadId.startsWith('thr_')) return;
  const owners = new Set([principal.id, onBehalfOf, customerId].filter((id) => id !== undefined));
  const found = await store.inTenant(principal.tenant, async ({ threads }) => {
    for (const owner of owners) {
      if (!candidateSchema.shape.ownerId.safeParse(owner).success) continue;
      if (await threads.find(owner, threadId)) return true;
    }
    return false;
  });
  if (!found) throw new CountersignError('thread_unknown', undefined, { issues: [unknownThread] });
}

const unknownThread = { path: 'threadId', message: 'no such thread of these' };

export type ThreadView = ReturnType<typeof threadView>;
export type TurnView = ReturnType<typeof turnView>;

export function threadView({ id, owner, title, createdBy, version, createdAt, lastTurnAt }: Thread) {
  return {
    id,
    ownerId: owner,
    title,
    createdBy,
    version,
    createdAt: iso(createdAt),
    lastTurnAt: lastTurnAt === null ? null : iso(lastTurnAt),
    links: {
      self: `/v1/threads/${id}`,
      messages: `/v1/threads/${id}/messages`,
      context: `/v1/threads/${id}/context`,
    },
  };
}

export function turnView({ at, ...turn }: Turn) {
  return { ...turn, at: iso(at) };
}
