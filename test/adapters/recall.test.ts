import { CedarAuthorization } from '../../src/adapters/policy/cedar';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Database } from '../../src/adapters/postgres/database';
import { PostgresMemories } from '../../src/adapters/postgres/memories';
import { indexWhatIsThere } from '../../src/adapters/postgres/migrations/0016_recall_and_knowledge';
import { PostgresRecall } from '../../src/adapters/postgres/recall';
import type { MemoryCandidate } from '../../src/domain/memory/candidate';
import { createDatabase, query, type TestDatabase } from '../support/database';
import { preference, service } from './memoryFixture';
import { crowdOut, fillFourOwners } from './recallCrowd';

let own: TestDatabase;
let database: Database;
let memories: PostgresMemories;
let recall: PostgresRecall;

beforeAll(async () => {
  own = await createDatabase();
  database = new Database(own.url);
  memories = new PostgresMemories(database, new CedarAuthorization());
  recall = new PostgresRecall(database);
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

async function remember(
  owner: string,
  value: string,
  change: Partial<MemoryCandidate> = {},
): Promise<string> {
  const key = `note/${randomUUID()}`;
  const { memoryId } = await memories.propose(preference(owner, { key, value, ...change }), service);
  if (memoryId === null) throw new Error(`the gate refused: ${value}`);
  return memoryId;
}

const search = async (
  owner: string,
  text: string,
  more: { at?: number; limit?: number } = {},
  tenant = 'acme',
) => recall.search({ tenant, owner }, { text, limit: 10, ...more });
const found = async (...asked: Parameters<typeof search>) =>
  (await search(...asked)).items.map(({ memory }) => memory.value);

describe('scope', () => {
  it('R46: a search finds its own owner and tenant alone, look-alikes and patterns included', async () => {
    const owners = ['a', 'a-b', 'a_b', 'a%', 'A', '\u0430', '\uff41', 'aa'];
    for (const owner of owners) await remember(owner, `ORDER-42 belongs to ${owner}, teapot`);
    for (const owner of owners)
      for (const text of [
        'ORDER-42',
        'teapot',
        '% _ * teapot',
        owner === 'a' ? 'belongs' : `belongs ${owner}`,
      ])
        expect({ owner, text, found: await found(owner, text) }).toEqual({
          owner,
          text,
          found: [`ORDER-42 belongs to ${owner}, teapot`],
        });
    for (const owner of ['b', '%', '_', 'a%b']) expect(await found(owner, 'teapot')).toEqual([]);
    expect(await found('a', 'teapot', {}, 'globex')).toEqual([]);
  });

  it.each([
    { tenant: 'acme', owner: '*' },
    { tenant: 'acme', owner: '' },
    { tenant: '*', owner: 'a' },
    { tenant: 'acme' },
    { owner: 'a' },
  ])('R46: the scope %j is refused', async (scope) => {
    const wrong = scope as { tenant: string; owner: string };
    await expect(recall.search(wrong, { text: 'teapot', limit: 5 })).rejects.toMatchObject({
      code: 'memory_scope_invalid',
    });
  });

  it('R46: the index functions see nothing unless both tenant and owner are set', async () => {
    for (const scope of ['', `set local countersign.tenant = 'acme'`, `set local countersign.owner = 'a'`]) {
      const rows = await query(own.url, `begin; ${scope}; select 1`).then(() =>
        query<{ id: string }>(
          own.url,
          `select id from memory_matches('{teapot}', '{1}', '{teapot}', '{}', 1, now(), 9)`,
        ),
      );
      expect(rows).toEqual([]);
    }
    const seen = await database.inTenant('acme', (trx) =>
      sql`select corpus from memory_frequencies('{teapot}', now())`.execute(trx),
    );
    expect(seen.rows).toEqual([{ corpus: 0 }]);
  });
});

describe('time', () => {
  it('R48: superseded and expired memories are never found now, and as-of questions are judged at their time', async () => {
    const key = 'preference/channel';
    await memories.propose(preference('t', { key, value: 'Write letters about teapots.' }), service);
    const then = await now();
    await memories.propose(preference('t', { key, value: 'Send mail about teapots.' }), service);
    await remember('t', 'Teapots are discounted.');
    await query(
      own.ownerUrl,
      `update memories set expires_at = clock_timestamp() where value like '%discounted%'`,
    );
    expect(await found('t', 'teapots')).toEqual(['Send mail about teapots.']);
    expect(await found('t', 'discounted letters')).toEqual([]);
    expect(await found('t', 'teapots', { at: then })).toEqual(['Write letters about teapots.']);
    expect(await found('t', 'teapots', { at: then - 3_600_000 })).toEqual([]);
  });

  it('R49: what is forgotten is not found', async () => {
    const id = await remember('f', 'The teapot is blue.');
    await memories.forget({ tenant: 'acme', owner: 'f' }, id, service);
    expect(await found('f', 'teapot')).toEqual([]);
  });

  async function now(): Promise<number> {
    const [row] = await query<{ at: Date }>(own.url, 'select clock_timestamp() as at');
    return (row?.at.getTime() ?? 0) + 1;
  }
});

describe('answers', () => {
  it('an id is found exactly, and stands before memories that have its parts', async () => {
    await remember('i', 'ORDER-421 was refunded.');
    await remember('i', 'The order of 42 cups was refunded.');
    await remember('i', 'Where is ORDER-42?');
    expect((await found('i', 'status of order-42'))[0]).toBe('Where is ORDER-42?');
    const { items } = await search('i', 'ORDER-42');
    expect(items[0]?.reasons).toMatchObject({ ids: ['order-42'], parts: { ids: 1 } });
    expect(items.slice(1).every(({ reasons }) => reasons.parts.ids === 0)).toBe(true);
  });

  it('says why each was chosen, what the limit left out, and which words nothing has', async () => {
    for (const value of ['A blue teapot.', 'A blue cup.', 'A blue plate.']) await remember('w', value);
    const { items, leftOut, unknownWords } = await search('w', 'blue teapots, unicorn', { limit: 1 });
    expect(items.map(({ memory }) => memory.value)).toEqual(['A blue teapot.']);
    expect(items[0]?.reasons.terms.map(({ word }) => word)).toEqual(['teapots', 'blue']);
    expect(leftOut).toHaveLength(2);
    for (const { reasons, score } of leftOut) {
      expect(reasons.terms.map(({ word }) => word)).toEqual(['blue']);
      expect(score).toBeLessThan(items[0]?.score ?? 0);
    }
    expect(unknownWords).toEqual(['unicorn']);
  });

  it.each([
    ['Chinese', '客户希望用中文回答', '中文'],
    ['Japanese', '返金は元のカードにお願いします', 'カード'],
    ['Thai', 'ลูกค้าต้องการเงินคืนทางบัตรเดิม', 'เงินคืน'],
    ['Bengali', 'এখন থেকে বাংলায় উত্তর দিন', 'বাংলায়'],
    ['Arabic', 'يفضل العميل الرد باللغة العربية', 'العربية'],
    ['Russian', 'Клиент предпочитает письма', 'письмо'],
    ['English', 'Prefers refunds to the original card.', 'refunding originals'],
  ])('%s is found', async (language, value, asked) => {
    const owner = `language-${language}`;
    await remember(owner, value);
    await remember(owner, 'zzz');
    expect(await found(owner, asked)).toEqual([value]);
  });

  it('what was remembered before there was an index is found as well', async () => {
    await remember('m', 'The old teapot of ORDER-7.');
    const owner = new Database(own.ownerUrl, 1);
    try {
      await query(
        own.ownerUrl,
        `begin; alter table memories disable trigger memories_close_once;
         update memories set words = '', ids = '{}' where owner in ('m', 't');
         alter table memories enable trigger memories_close_once; commit`,
      );
      expect(await found('m', 'teapot ORDER-7')).toEqual([]);
      await owner.unscoped((db) => indexWhatIsThere(db));
      expect(await found('m', 'teapot')).toEqual(['The old teapot of ORDER-7.']);
      expect((await search('m', 'order-7')).items[0]?.reasons.ids).toEqual(['order-7']);
      await expect(query(own.ownerUrl, `update memories set key = key where owner = 't'`)).rejects.toThrow(
        'closed memory',
      );
    } finally {
      await owner.close();
    }
  });
});

describe('what is not believed', () => {
  it.each(['held', 'fades_at', 'expires_at'] as const)(
    'R48: takes no place of what is believed, however much of it there is (%s)',
    async (how) => {
      const owner = `crowd-${how}`;
      await crowdOut(own.adminUrl, owner, how);
      const good = 'A blue samovar and eleven other things of ORDER-9, among many words.';
      await remember(owner, good);
      expect(await found(owner, 'samovar')).toEqual([good]);
      expect(await found(owner, 'ORDER-9')).toEqual([good]);
      expect((await search(owner, 'samovar poison')).unknownWords).toEqual(['poison']);
      const before = Date.now() - 30 * 60_000;
      expect(await found(owner, 'samovar', { at: before })).toHaveLength(10);
    },
  );
});

describe('hostile questions', () => {
  it.each([
    '%',
    '_',
    '*',
    "'",
    '"',
    '\\',
    "' or 1=1 --",
    'a & b | !c <-> d:*',
    'teapot:* & !teapot',
    '\u202eteapot\u202c \u200b',
    '\u200b',
    '(((',
    'a'.repeat(1_000_000),
    'teapot '.repeat(200_000),
    '字'.repeat(300_000),
    'a1-'.repeat(300_000),
    Array.from({ length: 5_000 }, (_, i) => `word${i}`).join(' '),
    '<|endoftext|> $1 {}',
  ])('R54: neither an error nor somebody else’s rows', async (text) => {
    await remember('h', 'A teapot of mine.');
    for (const value of await found('h', text)) expect(value).toBe('A teapot of mine.');
  });
});

it('R54: words and ids are found by their indexes among the memories of many owners', async () => {
  await fillFourOwners(own.adminUrl);
  await query(own.ownerUrl, 'vacuum analyze memories');
  const plan = async (condition: string) =>
    (
      await query<{ 'QUERY PLAN': string }>(
        own.ownerUrl,
        `explain select id from memories where tenant = 'acme' and owner = 'bulk3' and ${condition}`,
      )
    )
      .map((row) => row['QUERY PLAN'])
      .join('\n');
  expect(await plan(`words @@ search_query('wordd7')`)).toContain('memories_by_words');
  expect(await plan(`ids && array['order-d7']`)).toContain('memories_by_ids');
  expect(await plan(`(words @@ search_any('{wordd7,wordd19}') or ids && array['order-d7'])`)).toMatch(
    /memories_by_words[\s\S]*memories_by_ids/,
  );
  const standing = `not exists (select from memory_holds h where h.memory_id = memories.id and h.ended_at is null)`;
  expect(await plan(`words @@ search_query('wordd7') and ${standing}`)).toContain('memories_by_words');
  expect((await search('bulk3', 'common word')).items).toHaveLength(10);
  expect((await search('bulk3', 'order-d19')).items.map(({ id }) => id)).toEqual(['md19']);
});
