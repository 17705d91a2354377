import { once } from 'node:events';
import { createServer } from 'node:net';
import { claimPort, claimPorts } from '../../../src/sandbox/embedded/freePort';

describe('free ports', () => {
  it('prefers what is asked for, and skips what is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const free = await claimPort();
    expect(await claimPort([port])).not.toBe(port);
    taken.close();
    await once(taken, 'close');
    expect(await claimPort([port])).toBe(port);
    expect(await claimPort([free])).not.toBe(free);
  });

  it('never hands out a port twice', async () => {
    const base = await claimPort();
    const ports = await Promise.all(Array.from({ length: 50 }, () => claimPort([base + 1, base + 2])));
    expect(new Set([base, ...ports]).size).toBe(51);
  });

  it('counts up from a base, skipping taken ones, and prefers it to remembered ones', async () => {
    const base = await claimPort();
    const ports = await claimPorts(['api', 'temporal'], { base, remembered: { api: base + 100 } });
    expect(ports.api).toBeGreaterThan(base);
    expect(ports.temporal).toBeGreaterThan(ports.api);
    expect(ports.temporal).toBeLessThan(base + 50);
  });

  it('gives the remembered ones again, then the usual ones', async () => {
    const [remembered, usual] = [await claimPort(), await claimPort()].map((port) => port + 1);
    const ports = await claimPorts(['api', 'ui'], {
      remembered: { api: remembered! },
      usual: { api: 1, ui: usual! },
    });
    expect(ports).toEqual({ api: remembered, ui: usual });
  });

  it('stays out of the range that outgoing connections take their ports from', async () => {
    expect(await claimPort()).toBeLessThan(32_768);
  });
});
