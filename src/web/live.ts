import { createHash } from 'node:crypto';
import { streamSSE } from 'hono/streaming';
import type { WebContext, WebDependencies } from './context';

/** So long nothing is sent without a sign of life, ms; proxies cut what is silent. The session is looked at then too. */
const aliveEveryMs = 15_000;
/** A burst of changes is looked at once, ms; where a look takes long, it is taken more rarely. */
const settleMs = 150;
const lookShare = 5;

interface News {
  /** Calls `changed` when the state behind the page may have changed. @returns stops it */
  readonly subscribe: (changed: () => void) => Promise<() => void>;
  /** What nobody is told of is looked at this often, ms. */
  readonly lookEveryMs?: number;
}

/**
 * Server-sent events that tell that the state behind a page is another one than was seen: `seen` of the query, or
 * Last-Event-ID after a break. What is compared is the state itself, so nothing that happened in between can be missed.
 * @throws what `digestNow` throws, before anything is sent
 */
export async function streamState(
  c: WebContext,
  { sessions }: WebDependencies,
  { subscribe, lookEveryMs = aliveEveryMs }: News,
  digestNow: () => Promise<string>,
): Promise<Response> {
  const { secret } = c.get('signedIn');
  let seen = c.req.header('last-event-id') ?? c.req.query('seen') ?? '';
  await digestNow();
  return streamSSE(c, async (stream) => {
    let wake: () => void = () => undefined;
    const unsubscribe = await subscribe(() => wake());
    stream.onAbort(() => {
      unsubscribe();
      wake();
    });
    try {
      await stream.writeSSE({ event: 'alive', data: '', retry: 1_000 });
      while (!stream.aborted) {
        const changed = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (!(await sessions.find(secret, 'look'))) {
          return await stream.writeSSE({ event: 'over', data: '' });
        }
        const begun = Date.now();
        const digest = await digestNow();
        const pauseMs = Math.max(settleMs, lookShare * (Date.now() - begun));
        if (digest !== seen) await stream.writeSSE({ id: digest, event: 'changed', data: digest });
        seen = digest;
        await Promise.race([changed.then(() => stream.sleep(pauseMs)), stream.sleep(lookEveryMs)]);
        await stream.writeSSE({ event: 'alive', data: '' });
      }
    } finally {
      unsubscribe();
    }
  });
}

/** Two pages with the same one show the same. */
export function digestOf(...state: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 22);
}
