import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { CountersignError } from '../../domain/errors';

/**
 * Ports are drawn from below the range that the system takes outgoing connections from (32768 and up on
 * Linux, 49152 and up elsewhere). In there, a client that tries to reach a part which just died could be
 * given the part's own port, and the part could not come back on it.
 */
const drawFrom = { min: 15_000, max: 32_000 };

const handedOut = new Set<number>();

/**
 * A TCP port that nothing listens on at 127.0.0.1: the first free one of `preferred`, else any. The same
 * port is never returned twice in one process.
 */
export async function claimPort(preferred: readonly number[] = []): Promise<number> {
  for (const port of preferred) if (await claim(port)) return port;
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const port = randomInt(drawFrom.min, drawFrom.max);
    if (await claim(port)) return port;
  }
  throw new CountersignError('dependency_unavailable', 'No free TCP port was found on 127.0.0.1.');
}

export interface PortWishes {
  /** Ports are counted up from here, in the order of the names, and taken ones are skipped. Wins over the others. */
  readonly base?: number | undefined;
  /** What the last run used. */
  readonly remembered?: Readonly<Record<string, number>>;
  /** What people expect, such as 7233 for Temporal. */
  readonly usual?: Readonly<Record<string, number>>;
}

/** One free port for each name. */
export async function claimPorts<Name extends string>(
  names: readonly Name[],
  wishes: PortWishes = {},
): Promise<Record<Name, number>> {
  const ports: Partial<Record<Name, number>> = {};
  let next = wishes.base;
  for (const name of names) {
    if (next === undefined) {
      const preferred = [wishes.remembered?.[name], wishes.usual?.[name]];
      ports[name] = await claimPort(preferred.filter((port) => port !== undefined));
    } else {
      const port = await claimFirstFrom(next);
      ports[name] = port;
      next = port + 1;
    }
  }
  return ports as Record<Name, number>;
}

async function claimFirstFrom(base: number): Promise<number> {
  for (let port = base; port <= 65_535; port += 1) if (await claim(port)) return port;
  throw new CountersignError('dependency_unavailable', `No TCP port from ${base} up is free on 127.0.0.1.`);
}

async function claim(port: number): Promise<boolean> {
  if (handedOut.has(port)) return false;
  handedOut.add(port);
  if (await canListen(port)) return true;
  handedOut.delete(port);
  return false;
}

function canListen(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once('error', () => settle(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => settle(true)));
  });
}
