import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Between attempts, in ms; the last one repeats. */
const pauses = [20, 20, 50, 50, 100, 100, 200];

/**
 * Tries until an attempt succeeds. When `signal` aborts, the last attempt's error is thrown, since that
 * says more than the abort itself.
 */
export async function untilReady<Result>(
  attempt: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  let lastError: unknown;
  for (let tried = 0; !signal.aborted; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      lastError = error;
      await pause(pauses[tried] ?? 250, undefined, { signal }).catch(() => undefined);
    }
  }
  throw lastError ?? signal.reason;
}

/** Something accepts TCP connections at this port of 127.0.0.1. */
export async function untilListens(port: number, signal: AbortSignal): Promise<void> {
  await untilReady(async () => {
    const socket = connect({ port, host: '127.0.0.1' });
    try {
      await once(socket, 'connect');
    } finally {
      socket.destroy();
    }
  }, signal);
}

/** Ready when the address answers 2xx. */
export async function untilHttpAnswers(url: string, signal: AbortSignal): Promise<void> {
  await untilReady(async () => {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  }, signal);
}
