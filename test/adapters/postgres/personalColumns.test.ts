import { exempt, recordPlaces, runPlaces } from '../../../src/adapters/postgres/erasure/registry';
import { LedgerFixture } from './ledgerFixture';

const person = 'cus_maria.9';
let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await LedgerFixture.open(2);
});
afterAll(() => ledger.close());

test('R49: every column that can hold text is taken away with its person, or says why it may stay', async () => {
  const columns = await ledger.rows<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
       and a.atttypid::regtype::text in ('text', 'text[]', 'jsonb', 'json', 'character varying', 'bytea')
     order by 1, 2`,
  );
  const owned = new Set(
    (await ledger.rows<{ name: string }>('select table_name as name from owned_tables')).map((r) => r.name),
  );
  const places = new Map(runPlaces.map(({ table, columns: of }) => [table, of]));
  const unknown = columns.filter(
    ({ table, column }) =>
      !owned.has(table) &&
      places.get(table)?.includes(column) !== true &&
      recordPlaces[table]?.includes(column) !== true &&
      exempt[table]?.[column] === undefined,
  );
  expect(unknown).toEqual([]);
  expect(columns.length).toBeGreaterThan(100);
  // Owned tables can be erased: each has a tenant and an owner.
  for (const table of owned) {
    const names = columns.filter((c) => c.table === table).map((c) => c.column);
    expect(names).toEqual(expect.arrayContaining(['tenant', 'owner']));
  }
});

test.each([
  [person, `see ${person}.`, true],
  [person, `{"customer": "${person}"}`, true],
  [person, `(${person},x)`, true],
  [person, 'cus_maria.90', false],
  [person, 'xcus_maria.9', false],
  [person, 'cus_mariax9', false],
  [person, `other-${person}`, false],
  ['maria@shop.example', 'write to maria@shop.example today', true],
  ['maria@shop.example', 'anna.maria@shop.example', false],
  ['maria@shop.example', 'maria@shop.example.org', false],
  ['Maria', 'asked by maria', true],
  ['a+b*(c)$|d', 'it is a+b*(c)$|d', true],
  ['a+b', 'aab', false],
])('R49: %s in "%s": %s', async (subject, text, named) => {
  const [row] = await ledger.rows<{ named: boolean }>(`select $1 ~ mention_of($2) as named`, [text, subject]);
  expect(row).toEqual({ named });
});
