import { threadContext } from '../../src/application/assembleContext';
import { pinMemory, unpinMemory } from '../../src/application/memory';
import { quarantineMemory, releaseMemory } from '../../src/application/memoryReviews';
import { appendTurns } from '../../src/application/appendTurns';
import { openThread, startThread } from '../../src/application/threads';
import type { MemoryCandidate } from '../../src/domain/memory/candidate';
import { mostPinned } from '../../src/domain/memory/pins';
import {
  actor,
  administrator as admin,
  memoryFixture,
  preference,
  principal,
  type MemoryFixture,
} from './memoryFixture';

let fixture: MemoryFixture;
let memories: MemoryFixture['memories'];
beforeAll(async () => {
  fixture = await memoryFixture();
  memories = fixture.memories;
});
afterAll(() => fixture.close());

const service = principal('service', { kind: 'service' });
const scope = (owner: string) => ({ tenant: 'acme', owner });

async function kept(owner: string, change: Partial<MemoryCandidate> = {}): Promise<string> {
  const { memoryId } = await memories.propose(preference(owner, change), actor('service', 'service'));
  if (memoryId === null) throw new Error('it was not remembered');
  return memoryId;
}

const pin = (owner: string, id: string) => pinMemory(memories, service, id, owner);
const pinned = async (owner: string) =>
  (await memories.recall(scope(owner), { pinned: true, limit: 50 })).map(({ id }) => id);
const rowsOf = async (owner: string) =>
  (await fixture.asOwner.query(`select key from memory_pins where owner = $1`, [owner])).rows.length;

test('R46: its owner and whoever acts for him pin and unpin it; an agent and another person do not', async () => {
  const id = await kept('ann');
  const ann = principal('ann');
  expect(await pinMemory(memories, ann, id)).toMatchObject({ id, pinned: true });
  expect(await pinMemory(memories, ann, id)).toMatchObject({ id, pinned: true });
  expect(await memories.find(scope('ann'), id)).toMatchObject({ pinned: true });
  expect(await memories.list(scope('ann'), { limit: 5 })).toMatchObject({ items: [{ pinned: true }] });
  expect(await memories.history(scope('ann'), id)).toMatchObject([{ pinned: true }]);
  for (const who of [principal('agent', { kind: 'agent' }), principal('bob')])
    for (const call of [pinMemory, unpinMemory])
      await expect(call(memories, who, id, 'ann')).rejects.toMatchObject({ code: 'forbidden' });
  for (const other of [principal('bob'), principal('an'), principal('ann', { tenant: 'acme-corp' })])
    for (const call of [pinMemory, unpinMemory])
      await expect(call(memories, other, id)).rejects.toMatchObject({ code: 'not_found' });
  expect(await pinned('ann')).toEqual([id]);
  await unpinMemory(memories, admin, id, 'ann');
  await unpinMemory(memories, service, id, 'ann');
  expect(await pinned('ann')).toEqual([]);
});

test('R47: a pin survives another version, and goes with the memory; said again, it is not pinned', async () => {
  const first = await kept('cid');
  await pin('cid', first);
  const second = await kept('cid', { value: 'Answer in Bengali.' });
  expect(await pinned('cid')).toEqual([second]);
  await expect(pin('cid', first)).rejects.toMatchObject({ code: 'not_found' });
  await memories.forget(scope('cid'), first, actor('service', 'service'));
  expect(await rowsOf('cid')).toBe(0);
  await kept('cid');
  expect(await pinned('cid')).toEqual([]);

  const third = await kept('cid', { value: 'Answer in French.' });
  await pin('cid', third);
  await kept('cid', { value: 'Answer in Welsh.' });
  await unpinMemory(memories, service, third, 'cid');
  expect(await rowsOf('cid')).toBe(0);
});

test('R49: an erasure and a sweep take pins with the memories, and leave those of what stays', async () => {
  for (const owner of ['dan', 'eve', 'fay']) {
    await pin(owner, await kept(owner));
    await pin(owner, await kept(owner, { key: 'old', value: `Has met dan, says ${owner}.` }));
  }
  await fixture.store.inTenant('acme', async (unit) => {
    await unit.erasures.request({ id: 'era_1', subject: 'dan', own: false, requestedBy: 'admin' });
    await unit.erasures.confirm('era_1', 'admin2');
    expect(await unit.personal.eraseRecords('era_1', 'dan')).toMatchObject({ memory_pins: 2 });
    expect(await unit.personal.mentions('memory_pins', 'dan')).toBe(0);
  });
  expect(await Promise.all(['dan', 'eve', 'fay'].map(rowsOf))).toEqual([0, 1, 1]);

  await fixture.asOwner.query(
    `update memories set created_at = now() - interval '4 years' where owner = 'eve'`,
  );
  await fixture.asOwner.query(
    `update memory_pins set pinned_at = now() - interval '4 years' where owner in ('eve', 'fay')`,
  );
  await fixture.store.inTenant('acme', async ({ retention }) => {
    for (const table of await retention.ownedTables()) await retention.sweepRows(table, 100);
  });
  expect(await Promise.all(['eve', 'fay'].map(rowsOf))).toEqual([0, 1]);
});

test('R48: what is in quarantine is shown by no pin, and pinned again when it is released', async () => {
  const id = await kept('gus');
  await pin('gus', id);
  await quarantineMemory(fixture, admin, 'gus', id, { reason: 'suspicious' });
  expect(await pinned('gus')).toEqual([]);
  await expect(pin('gus', id)).rejects.toMatchObject({ code: 'not_found' });
  await releaseMemory(fixture, admin, 'gus', id);
  expect(await pinned('gus')).toEqual([id]);
});

test('R50: so many may be pinned and no more, also of two at once; they stand first in a context, then the newest', async () => {
  const ids: string[] = [];
  for (let n = 0; n < mostPinned + 25; n += 1)
    ids.push(await kept('hal', { key: `note/${n}`, value: `Likes tea ${n}.` }));
  const before = await shown('hal');
  expect(before).toEqual(ids.slice(-20).reverse());
  for (const id of ids.slice(0, mostPinned - 1)) await pin('hal', id);
  const both = await Promise.allSettled([mostPinned, mostPinned + 1].map((n) => pin('hal', ids[n] ?? '')));
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await expect(pin('hal', ids.at(-1) ?? '')).rejects.toMatchObject({ code: 'pins_full' });
  const first = await pinned('hal');
  expect(first).toHaveLength(mostPinned);
  const after = await shown('hal');
  expect(after.slice(0, mostPinned)).toEqual(first);
  expect(after.slice(mostPinned)).toEqual(
    ids
      .filter((id) => !first.includes(id))
      .slice(-20)
      .reverse(),
  );
});

/** Memories of the section of pinned facts, in the order in which they are tried. */
async function shown(owner: string): Promise<string[]> {
  const { id } = await startThread(fixture, service, { ownerId: owner }, undefined);
  await appendTurns(fixture, service, id, { messages: [{ role: 'user', text: 'What do I drink?' }] }, owner);
  const { manifest } = await threadContext(
    {
      ...fixture,
      memory: memories,
      tokens: async () => ({ name: 'units', margin: 0, count: (text) => text.length }),
    },
    service,
    await openThread(fixture, service, id, owner),
    { budget: 100_000, compaction: 'structured_summary', explain: false },
  );
  return manifest.filter(({ section }) => section === 'pinned').map((item) => item.id);
}
