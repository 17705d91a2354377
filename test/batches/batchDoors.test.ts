import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { actor } from '../cli/actors';
import { query } from '../support/database';
import { fromSetup } from '../support/shared';
import { TestStack } from '../support/stack';
import { batchesOf, rowOf } from './batchFixture';

const full = process.env['COUNTERSIGN_TEST_SCALE'] === 'full';
const [documents, killedAt, limitMs] = full ? [5_000, 4_000, 1_200_000] : [120, 40, 60_000];

describe('the doors of batches', () => {
  let stack: TestStack;
  let batches: ReturnType<typeof batchesOf>;
  let folder: string;
  beforeAll(async () => {
    stack = await TestStack.start();
    batches = batchesOf(stack);
    folder = mkdtempSync(join(fromSetup('FOLDER'), 'batches-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await stack.stop();
  });

  const cli = (...command: string[]) => actor(stack, 'service')(...command);

  const csv = (text: string, query = '', key: string = randomUUID()) =>
    stack.as('service').call('POST', `/v1/batches${query}`, text, {
      'content-type': 'text/csv',
      'idempotency-key': key,
    });

  test('R20, R41: every row of a file is looked at, each fault is named with its row and field, and nothing runs', async () => {
    const charge = await stack.provider.charge(10_000);
    const refused = await csv(
      [
        'key,paymentId,amount,currency,reason,note',
        `a,${charge},10.00,USD,damaged,`,
        `b,${charge},10.001,USD,damaged,`,
        `c,nothing,10.00,USD,damaged,`,
        `d,${charge},10.00,USD,because,`,
        `a,${charge},11.00,USD,damaged,`,
        `e,${charge},12.00,USD,damaged,the card is 4242 4242 4242 4242`,
        `f,${charge},13.00`,
      ].join('\n'),
    );
    expect(refused).toMatchObject({ status: 422, body: { code: 'batch_invalid', rowCount: 6 } });
    const rows = refused.body.rows as { row: number; field: string | null; code: string }[];
    expect(rows.map(({ row, field, code }) => [row, field, code])).toEqual([
      [2, 'amount', 'amount_too_precise'],
      [3, 'paymentId', 'invalid_request'],
      [4, 'reason', 'invalid_request'],
      [5, 'key', 'batch_row_repeated'],
      [6, 'note', 'sensitive_text'],
      [7, null, 'invalid_request'],
    ]);
    expect(refused.text).not.toContain('4242');
    const [{ n = 1 } = {}] = await query<{ n: number }>(
      stack.database.adminUrl,
      'select (select count(*) from batches) + (select count(*) from runs) as n',
    );
    expect(Number(n)).toBe(0);
  });

  test.each([
    ['', 'batch_empty'],
    ['{"a":1}', 'invalid_request'],
    ['paymentId,colour\nch_1,red', 'invalid_request'],
    ['paymentId,amount\n"ch_1', 'invalid_request'],
  ])('a file that is none is refused as a whole: %j', async (text, code) => {
    expect(await csv(text)).toMatchObject({ status: 422, body: { code } });
  });

  test('R41: a file of more than 32 MiB is refused as such, at the door and on the command line, and nothing runs', async () => {
    const file = join(folder, 'large.jsonl');
    writeFileSync(file, `${' '.repeat(1_023)}\n`.repeat(32 * 1_024 + 1));
    const refused = await cli('batch', 'start', file, '--json');
    expect([refused.code, refused.problem.code]).toEqual([1, 'body_too_large']);
    expect(refused.problem).toMatchObject({ status: 413, maxBodyBytes: 32 * 1_024 * 1_024 });
    expect((await csv('x'.repeat(32 * 1_024 * 1_024), '', 'as-large-as-may-be')).status).toBe(422);
    const list = await stack.as('service').call('GET', '/v1/batches');
    expect(list.body.items).toEqual([]);
  });

  test('a dry run reads the payments too, names what would be left out, and runs nothing; one sum has one currency', async () => {
    const [charge, euros] = [await stack.provider.charge(10_000), await stack.provider.charge(10_000, 'eur')];
    const file = [rowOf(charge, '60.00'), rowOf(charge, '50.00'), rowOf('ch_unknown'), rowOf(euros, '5.00')];
    const key = randomUUID();
    const { batchId } = await batches.start(file, { dryRun: 'true' }, key);
    const checked = await batches.untilBatch(batchId, ({ endedAt }) => endedAt !== null);
    expect(checked).toMatchObject({
      state: 'validated',
      counts: { waiting: 1, left_out: 3 },
      approval: null,
    });
    expect((await batches.items(batchId)).map(({ code }) => code)).toEqual([
      null,
      'exceeds_remaining',
      'payment_unknown',
      'currency_mismatch',
    ]);
    const mixed = [rowOf(charge), { ...rowOf(euros), amount: { value: '5.00', currency: 'EUR' } }];
    expect(await batches.send(mixed)).toMatchObject({
      status: 422,
      body: { code: 'batch_mixed_currencies' },
    });
    // The key of a dry run is still free for the batch itself.
    const real = await batches.start([rowOf(charge, '60.00')], {}, key);
    expect(real.batchId).not.toBe(batchId);
  });

  test('R3, R38: the same key and file are one batch, another file is a conflict, and a foreign batch is unknown', async () => {
    const charge = await stack.provider.charge(10_000);
    const key = randomUUID();
    const { batchId } = await batches.start([rowOf(charge)], {}, key);
    expect((await batches.start([rowOf(charge)], {}, key)).batchId).toBe(batchId);
    expect(await batches.send([rowOf(charge, '11.00')], {}, key)).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict', batchId },
    });
    const alone = await stack.as('service').startRefund({ paymentId: charge, amount: '1.00', key });
    expect(alone.status).toBe(409);
    const without = (text: string) => text.replace(/"requestId":"[^"]*"/, '').replaceAll(batchId, 'bat_0');
    for (const path of ['', '/items', '/result', '/events'])
      expect(
        without((await stack.as('admin', 'globex').call('GET', `/v1/batches/${batchId}${path}`)).text),
      ).toBe(without((await stack.as('admin', 'globex').call('GET', `/v1/batches/bat_0${path}`)).text));
    expect((await batchesOf(stack, 'globex').order(batchId, 'cancel')).status).toBe(404);
    const list = await stack.as('admin', 'globex').call('GET', '/v1/batches');
    expect(list.body.items).toEqual([]);
  });

  test('the command line: a file is sent, approved, watched to its end, and its result has one row for each row', async () => {
    const [one, two] = [await stack.provider.charge(10_000), await stack.provider.charge(10_000)];
    const file = join(folder, 'recall.csv');
    writeFileSync(
      file,
      `key,paymentId,amount,currency,reason\nr-1,${one},10.00,USD,damaged\nr-2,${two},15.00,USD,goodwill\n`,
    );
    const started = JSON.parse((await cli('batch', 'start', file, '--json')).stdout) as { batchId: string };
    await batches.approve(started.batchId, 'reviewer1');
    const shown = await cli('batch', 'show', started.batchId, '--watch');
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stdout).toContain('completed: 2 completed');
    const { stdout } = await cli('batch', 'result', started.batchId);
    const lines = stdout
      .trim()
      .split('\r\n')
      .map((line) => line.split(',').slice(0, 6).join(','));
    expect(lines).toEqual([
      'row,name,paymentId,amount,currency,outcome',
      `1,r-1,${one},10.00,USD,completed`,
      `2,r-2,${two},15.00,USD,completed`,
    ]);
    expect(await cli('batch', 'cancel', started.batchId)).toMatchObject({ code: 1 });
  });

  test(
    `R36, R44: ${documents} documents, the worker killed after ${killedAt}: it goes on where it was; bad ones are named and skipped`,
    async () => {
      const text = (n: number) =>
        `# Guide ${n}\n\nReturns of article ${n} take two weeks. `.padEnd(900, 'More words. ');
      const file = Array.from({ length: documents }, (_, n) => ({
        document: `guide-${n}`,
        format: 'markdown',
        text: n === 7 ? 'The card is 4242 4242 4242 4242.' : text(n),
      }));
      const bad = { document: 'Not An Id', format: 'markdown', text: 'words' };
      const options = { kind: 'documents', invalidRows: 'leave_out' };
      const { batchId } = await batches.start([...file, bad], options, randomUUID(), 'admin');
      const before = await batches.untilBatch(batchId, ({ counts }) => counts.ingested >= killedAt, limitMs);
      await stack.killWorkers();
      expect(before.counts.ingested).toBeLessThan(documents - 1);
      await stack.startWorker();
      const ended = await batches.untilBatch(batchId, ({ endedAt }) => endedAt !== null, limitMs);
      expect(ended).toMatchObject({
        state: 'completed',
        counts: { ingested: documents - 1, left_out: 2, unchanged: 0 },
      });
      if (full) process.stderr.write(`killed when ${before.counts.ingested} were ingested`);
      const [stored] = await query<{ n: number; newest: number; audited: number; kept: number }>(
        stack.database.adminUrl,
        `select count(*)::int as n, max(version)::int as newest,
           (select count(*)::int from audit where event = 'document_ingested' and after ->> 'document' like 'guide-%') as audited,
           (select count(*)::int from batch_items where content is not null and batch_id = $1) as kept
         from knowledge_documents where id like 'guide-%'`,
        [batchId],
      );
      expect(stored).toEqual({ n: documents - 1, newest: 1, audited: documents - 1, kept: 0 });
      const left = await batches.items(batchId, '?outcome=left_out');
      expect(left.map(({ row, code }) => [row, code])).toEqual([
        [8, 'sensitive_text'],
        [documents + 1, 'invalid_request'],
      ]);
    },
    2 * limitMs,
  );
});
