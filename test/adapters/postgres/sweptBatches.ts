import type { NewBatch } from '../../../src/ports/batches';
import type { LedgerFixture } from './ledgerFixture';

let made = 0;

/** What a sweep takes of batches; over a database that is there already. */
export function sweptBatches(running: () => LedgerFixture): void {
  test('R49: takes what rows of a batch say that never ran, as those of a dry run, and leaves what is held', async () => {
    const ledger = running();
    const rowsOf = (text: string) => ledger.rows<Record<string, unknown>>(text);
    const dryRun = async (customers: readonly string[], age: number) => {
      made += 1;
      const batchId = `bat_dry_${made}`;
      const item = (customerId: string, index: number) => ({
        row: index + 1,
        name: `return of ${customerId}`,
        runId: `${batchId}_${index}`,
        fingerprint: 'f',
        refund: {
          key: `${batchId} ${index}`,
          request: {
            paymentId: 'ch_1',
            amount: { minor: 100, currency: 'USD' },
            reason: 'damaged',
            customerId,
          },
        },
      });
      await ledger.in((unit) =>
        unit.batches.create({
          batchId,
          kind: 'refunds',
          requester: 'service',
          onBehalfOf: 'reviewer1',
          approval: 'manifest',
          ...{ dryRun: true, idempotencyKey: batchId, fingerprint: 'f', leftOut: [] },
          asked: { amount: { minor: 100, currency: 'USD' }, reason: 'damaged' },
          items: customers.map(item),
        } as NewBatch),
      );
      await rowsOf(
        `update batches set state = 'validated', ended_at = now() - interval '${age} days' where batch_id = '${batchId}'`,
      );
      return batchId;
    };
    const left = async (batchId: string) =>
      (
        await rowsOf(`select row from batch_items where batch_id = '${batchId}' and (content is not null or name is not null)
        union all select 0 from batches where batch_id = '${batchId}' and on_behalf_of is not null order by row`)
      ).map(({ row }) => row);
    const [old, fresh, kept] = [
      await dryRun(['cus_dry', 'cus_dry_held', 'cus_dry'], 31),
      await dryRun(['cus_dry'], 29),
      await dryRun(['cus_dry'], 31),
    ];
    const hold = {
      id: 'hld_4',
      scope: 'person',
      subject: 'cus_dry_held',
      reason: 'case',
      placedBy: 'admin',
    } as const;
    await ledger.in((unit) => unit.holds.place(hold));
    await ledger.in((unit) => unit.holds.place({ ...hold, id: 'hld_5', scope: 'run', subject: kept }));
    expect((await ledger.in((unit) => unit.retention.due()))['batch_items']).toBe(2);
    const sweep = () => ledger.in((unit) => unit.retention.sweepBatches(1));
    expect([await sweep(), await sweep(), await sweep()]).toEqual([
      { rows: 1, batches: 1 },
      { rows: 1, batches: 0 },
      { rows: 0, batches: 0 },
    ]);
    expect([await left(old), await left(fresh), await left(kept)]).toEqual([[2], [0, 1], [0, 1]]);
    for (const id of ['hld_4', 'hld_5']) await ledger.in((unit) => unit.holds.release(id, 'admin'));
    expect([await sweep(), await sweep()]).toEqual([
      { rows: 1, batches: 1 },
      { rows: 1, batches: 0 },
    ]);
  });
}
