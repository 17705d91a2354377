import { approvalIdOf } from '../../../src/domain/contract';
import { idFrom } from '../../../src/application/intake';
import fc from 'fast-check';
import {
  manifestContent,
  summarize,
  commonReason,
  type ManifestRow,
} from '../../../src/domain/batch/manifest';
import {
  readDocumentRow,
  readRefundRow,
  repeatedRows,
  type ReadRefundRow,
} from '../../../src/domain/batch/row';

const good = { paymentId: 'ch_1', amount: { value: '10.00', currency: 'USD' }, reason: 'damaged' };

function read(row: number, value: unknown): ReadRefundRow {
  const found = readRefundRow(row, { value });
  if (Array.isArray(found)) throw new Error(JSON.stringify(found));
  return found;
}

describe('a row of refunds', () => {
  test.each([
    [{ ...good, amount: { value: '1e3', currency: 'USD' } }, 'amount', 'amount_invalid'],
    [{ ...good, amount: { value: '0', currency: 'USD' } }, 'amount', 'amount_not_positive'],
    [{ ...good, amount: { value: '10.5', currency: 'JPY' } }, 'amount', 'amount_too_precise'],
    [{ ...good, amount: { value: '10', currency: 'XAU' } }, 'amount', 'currency_unknown'],
    [{ ...good, paymentId: 'order-7' }, 'paymentId', 'invalid_request'],
    [{ ...good, colour: 'red' }, null, 'invalid_request'],
    [{ ...good, onBehalfOf: 'maria' }, null, 'invalid_request'],
    [
      { ...good, lines: [{ lineId: 'a', quantity: 1, of: { quantity: 1, amount: good.amount } }] },
      'orderId',
      'invalid_request',
    ],
    ['words', null, 'invalid_request'],
  ])('%j: %s is %s', (value, field, code) => {
    expect(readRefundRow(3, { value })).toEqual([expect.objectContaining({ row: 3, field, code })]);
  });

  test('R41: a row that could not be read says so, and any value at all is read or refused, never thrown', () => {
    expect(readRefundRow(1, { unreadable: 'no JSON' })).toEqual([
      { row: 1, field: null, code: 'invalid_request', detail: 'no JSON' },
    ]);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(readRefundRow(1, { value })).toBeTruthy();
        expect(readDocumentRow(1, { value })).toBeTruthy();
      }),
    );
  });

  test('R2: rows that ask for the same are named, unless both have keys of their own', () => {
    const rows = [
      read(1, { ...good, key: 'a' }),
      read(2, { ...good, key: 'b' }),
      read(3, good),
      read(4, { ...good, key: 'a', amount: { value: '2.00', currency: 'USD' } }),
      read(5, { ...good, orderId: 'o-1' }),
      read(6, { ...good, orderId: 'o-1', amount: { value: '10.0', currency: 'USD' } }),
    ];
    expect(repeatedRows(rows).map(({ row, field }) => [row, field])).toEqual([
      [3, 'paymentId'],
      [4, 'key'],
      [6, 'paymentId'],
    ]);
  });
});

describe('a manifest', () => {
  const rowOf = (minor: number, more: Partial<ManifestRow> = {}): ManifestRow => ({
    ...{ row: 1, runId: 'run_1', paymentId: 'ch_1', amount: { minor, currency: 'USD' } },
    ...{ reason: 'damaged' as const, fingerprint: 'f', customer: null },
    ...more,
  });

  test('R21: whatever is changed of a row, or the order of rows, makes other content', () => {
    const rows = [rowOf(100), rowOf(200, { row: 2, runId: 'run_2' })];
    const content = manifestContent('acme', 'bat_1', rows);
    const changes: Partial<ManifestRow>[] = [
      { row: 9 },
      { runId: 'run_9' },
      { paymentId: 'ch_9' },
      { amount: { minor: 101, currency: 'USD' } },
      { amount: { minor: 100, currency: 'EUR' } },
      { reason: 'goodwill' },
      { fingerprint: 'g' },
    ];
    const others = [
      ...changes.map((change) => manifestContent('acme', 'bat_1', [rowOf(100, change), ...rows.slice(1)])),
      manifestContent('acme', 'bat_1', [...rows].reverse()),
      manifestContent('acme', 'bat_1', rows.slice(1)),
      manifestContent('acme', 'bat_2', rows),
      manifestContent('globex', 'bat_1', rows),
    ];
    expect(new Set([content, ...others]).size).toBe(others.length + 1);
  });

  test('the summary has the sum of all rows, and what lies far above the rest', () => {
    const rows = [
      ...Array.from({ length: 50 }, (_, i) => rowOf(1_000 + i, { row: i + 1, paymentId: `ch_${i}` })),
      rowOf(90_000, { row: 51, paymentId: 'ch_3', reason: 'goodwill' }),
    ];
    expect(summarize(rows)).toMatchObject({
      count: 51,
      sum: { minor: 50 * 1_000 + (49 * 50) / 2 + 90_000, currency: 'USD' },
      smallest: { minor: 1_000 },
      largest: { minor: 90_000 },
      payments: 50,
      mostOfOnePayment: 2,
      reasons: { damaged: 50, goodwill: 1 },
      outliers: [{ row: 51 }],
      outlierCount: 1,
    });
    expect(commonReason(rows)).toBe('damaged');
    const same = Array.from({ length: 9 }, (_, i) => rowOf(500, { row: i + 1 }));
    expect(summarize(same).outlierCount).toBe(0);
    expect(summarize([...same, rowOf(6_000, { row: 10 })]).outliers).toHaveLength(1);
    expect(summarize([])).toMatchObject({ count: 0, outlierCount: 0 });
  });
});

test('R21: the approval of a batch is none of a refund, also where one key of the caller names both', () => {
  const [refund, batch] = (['run', 'bat'] as const).map((kind) => approvalIdOf(idFrom(kind, 'acme', 'key')));
  expect(batch).not.toBe(refund);
});
