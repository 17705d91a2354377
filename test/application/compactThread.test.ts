import { compactThread, summarizedUpTo } from '../../src/application/compactThread';
import { listTurns, openThread } from '../../src/application/threads';
import { factsIn } from '../../src/domain/context/facts';
import type { Message } from '../../src/domain/thread/turn';
import type { Summarizer } from '../../src/ports/summarizer';
import { query } from '../support/database';
import { service, threadFixture, user, type ThreadFixture } from './threadFixture';

let fixture: ThreadFixture;
let store: ThreadFixture['store'];
let database: ThreadFixture['database'];
let begin: ThreadFixture['begin'];
let append: ThreadFixture['append'];
beforeAll(async () => {
  fixture = await threadFixture();
  ({ store, database, begin, append } = fixture);
});
afterAll(() => fixture.close());

describe('what stands for earlier turns', () => {
  const filled = async (turns: number) => {
    const id = await begin();
    for (let from = 1; from <= turns; from += 50)
      await append(
        id,
        Array.from({ length: Math.min(50, turns - from + 1) }, (_, n) =>
          user(`message ${from + n}: ORDER-${1000 + from + n} cost ${from + n}.50 USD`),
        ),
      );
    return id;
  };
  const scope = { tenant: 'acme', owner: 'cus_1' };
  const thread = (id: string) =>
    store.inTenant('acme', ({ threads }) => threads.find('cus_1', id).then((t) => t!));
  const rowsOf = (id: string) =>
    query<{ up_to: number; strategy: string }>(
      database.adminUrl,
      `select up_to, strategy from thread_compactions where thread_id = $1 order by 1`,
      [id],
    );

  test('R52: is a view: stored once, built on, and the log is as it was', async () => {
    expect([40, 59, 60, 139, 140].map(summarizedUpTo)).toEqual([0, 0, 20, 80, 100]);
    const id = await filled(120);
    const log = await query(
      database.adminUrl,
      `select * from thread_turns where thread_id = $1 order by seq`,
      [id],
    );
    const first = await compactThread({ store }, scope, await thread(id));
    expect(first).toMatchObject({ upTo: 80, strategy: 'structured_summary' });
    expect(await compactThread({ store }, scope, await thread(id))).toEqual(first);
    await append(
      id,
      Array.from({ length: 40 }, (_, n) => user(`more ${n}`)),
    );
    const second = await compactThread({ store }, scope, await thread(id));
    expect(second?.upTo).toBe(120);
    const expected = log.flatMap((turn) => factsIn((turn as { text: string }).text));
    expect(second?.summary.facts.map(({ text }) => text)).toEqual(expected.map(({ text }) => text));
    expect(await rowsOf(id)).toEqual([
      { up_to: 80, strategy: 'structured_summary' },
      { up_to: 120, strategy: 'structured_summary' },
    ]);
    const after = await query(
      database.adminUrl,
      `select * from thread_turns where thread_id = $1 and seq <= 120 order by seq`,
      [id],
    );
    expect(after).toEqual(log);
  });

  test('R52: a model’s summary is taken when it invents nothing, and the structured one when it does, fails or is late', async () => {
    const summarizer = (text: () => Promise<string>): Summarizer => ({ summarize: text });
    const outcomes: string[] = [];
    for (const write of [
      async () => 'The customer counts orders, the first being ORDER-1001.',
      async () => 'The customer wants ORDER-9999 refunded.',
      () => Promise.reject(new Error('no model')),
    ]) {
      const id = await filled(60);
      const compacted = await compactThread(
        { store, summarizer: summarizer(write) },
        scope,
        await thread(id),
      );
      outcomes.push(compacted?.strategy ?? 'none');
      expect(compacted?.summary.facts).toHaveLength(40);
      expect(compacted?.summary.goal?.text).toContain('ORDER-1001');
    }
    expect(outcomes).toEqual(['model_summary', 'structured_summary', 'structured_summary']);
  });

  test('R51: never stands for a pending call, a call whose result came later, or one of a run under way', async () => {
    const id = await begin();
    const call = (n: number): Message => ({
      role: 'tool_call',
      text: '{}',
      toolCallId: `c${n}`,
      toolName: 't',
    });
    const result = (n: number): Message => ({ role: 'tool_result', text: 'r', toolCallId: `c${n}` });
    await append(id, [call(1), call(2), result(2), call(3), user('u'), call(4), result(4)]);
    await append(
      id,
      Array.from({ length: 20 }, () => user('more')),
    );
    await append(id, [result(3)]);
    await query(
      database.adminUrl,
      `update thread_turns set run_id = 'run_1' where thread_id = $1 and seq = 6`,
      [id],
    );
    const kept = await store.inTenant('acme', ({ threads }) => threads.kept('cus_1', id, 20, ['run_1']));
    expect(kept.map(({ seq }) => seq)).toEqual([1, 4, 6, 7, 21, 22, 23, 24, 25, 26, 27, 28]);
  });

  test('R52: what was said of an id or an amount is found by it, however long ago', async () => {
    const id = await filled(100);
    const thread = await openThread({ store }, service, id, 'cus_1');
    const of = async (mentions: string) =>
      (await listTurns({ store }, service, thread, { after: 0, limit: 5, mentions })).items.map(
        ({ seq }) => seq,
      );
    expect(await of('ORDER-1007')).toEqual([7]);
    expect(await of('7.50 USD')).toEqual([7]);
    expect(await of('ORDER-100')).toEqual([]);
    expect(await of('%')).toEqual([]);
  });
});
