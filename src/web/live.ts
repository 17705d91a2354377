import { streamSSE } from 'hono/streaming';
import type { WebContext, WebDependencies } from '../context';

/** So long nothing is sent without a sign of life, ms; proxies cut what is silent. The session is looked at then too. */
const aliveEveryMs = 15_000;
/** A burst of changes is looked at once, ms. */
const settleMs = 150;

/**
 * Server-sent events that tell that the state behind a page is another one than was seen: `seen` of the query, or
 * Last-Event-ID after a break. What is compared is the state itself, so nothing that happened in between can be missed.
 */
export function streamState(
  c: WebContext,
  { inboxWatch, sessions }: WebDependencies,
  digestNow: () => Promise<string>,
): Response {
  const { secret, principal } = c.get('signedIn');
  let seen = c.req.header('last-event-id') ?? c.req.query('seen') ?? '';
  return streamSSE(c, async (stream) => {
    let wake: () => void = () => undefined;
    const unsubscribe = await inboxWatch.subscribe(principal.tenant, () => wake());
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
        const digest = await digestNow();
        if (digest !== seen) await stream.writeSSE({ id: digest, event: 'changed', data: digest });
        seen = digest;
        await Promise.race([changed.then(() => stream.sleep(settleMs)), stream.sleep(aliveEveryMs)]);
        await stream.writeSSE({ event: 'alive', data: '' });
      }
    } finally {
      unsubscribe();
    }
  });
}
