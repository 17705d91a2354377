import fc from 'fast-check';
import { jsonbText } from '../../../src/domain/audit/jsonbText';
import { LedgerFixture } from './ledgerFixture';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await LedgerFixture.open();
});
afterAll(() => ledger.close());

// No NUL: PostgreSQL can't hold one.
const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((s) => !s.includes('\u0000'));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

test('R37: a value outside the database has the very text that the database hashes', async () => {
  const values = fc.sample(value, { numRuns: 400, seed: 37 });
  const stored = await ledger.rows<{ text: string }>(
    `select v::text as text from jsonb_array_elements($1::jsonb) v`,
    [JSON.stringify(values)],
  );
  expect(stored.map((row) => row.text)).toEqual(values.map(jsonbText));
});
