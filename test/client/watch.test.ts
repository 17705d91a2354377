import { randomUUID } from 'node:crypto';
import type { Batch, Countersign, TimelineEntry } from '../../src/client';
import { batchesOf, rowOf } from '../batches/batchFixture';
import { TestStack } from '../support/stack';
import { clientOf, refused, refundOf } from './clients';
import { FrontDoor } from './frontDoor';

describe('watch', () => {
  let stack: TestStack;
  let door: FrontDoor;
  let service: Countersign;
  beforeAll(async () => {
    stack = await TestStack.start();
    door = await FrontDoor.before(stack.apiUrl);
    service = clientOf(door, 'service');
  });
  afterAll(async () => {
    await door.close();
    await stack.stop();
  });

  const seqs = (entries: TimelineEntry[]) => entries.map(({ seq }) => seq);

  test.each([
    ['cut off', false],
    ['ended cleanly by somebody in between', true],
  ])(
    'a connection that is %s is made again after the last entry: none is missed, none comes twice',
    async (_how, cleanly) => {
      const charge = await stack.provider.charge(20_000);
      const { runId } = await service.refunds.start(refundOf(charge, '20.00'), {
        idempotencyKey: randomUUID(),
      });
      await service.refunds.waitUntilFinished(runId);
      const whole = await service.refunds.timeline(runId);
      door.next(
        { kind: 'stream_cut', events: 2, cleanly },
        ...(cleanly ? [] : [{ kind: 'stream_cut', events: 1, cleanly } as const]),
      );
      const entries: TimelineEntry[] = [];
      for await (const entry of service.refunds.watch(runId)) entries.push(entry);
      expect(entries).toEqual(whole);
      const streams = door.seen.filter(({ path }) => path.endsWith('/events'));
      expect(streams.map(({ headers }) => headers['last-event-id'])).toEqual(
        cleanly ? ['0'] : ['0', '2', '3'],
      );
    },
  );

  test('R32: the API dies and comes back while somebody watches', async () => {
    const charge = await stack.provider.charge(20_000);
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '60.00' });
    const patient = clientOf(door, 'service', {
      retry: { retries: 50, firstDelayMs: 50, longestDelayMs: 500 },
    });
    const entries: TimelineEntry[] = [];
    let opened: () => void = () => undefined;
    const sawOpening = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const watching = (async () => {
      for await (const entry of patient.refunds.watch(approval.runId)) {
        entries.push(entry);
        if (entry.event === 'approval_opened') opened();
      }
    })();
    await sawOpening;
    await stack.api.kill('SIGKILL');
    await stack.startApi();
    await stack.as('reviewer1').decide(approval, 'approve');
    await watching;
    expect(entries.at(-1)?.event).toBe('completed');
    expect(seqs(entries)).toEqual(entries.map((_, i) => i + 1));
  });

  test('a batch is followed by its live events, over a cut connection, until it has ended, and never asked for', async () => {
    const batches = batchesOf(stack);
    const { batchId } = await batches.start([rowOf(await stack.provider.charge(10_000))]);
    door.next({ kind: 'stream_cut', events: 2, cleanly: false });
    const seen: Batch[] = [];
    for await (const batch of service.batches.watch(batchId)) {
      seen.push(batch);
      if (batch.state === 'waiting_approval' && batch.approval?.votes === 0)
        await batches.approve(batchId, 'reviewer1');
    }
    expect(seen.at(-1)).toMatchObject({ state: 'completed', counts: { completed: 1 } });
    expect(new Set(seen.map((batch) => JSON.stringify(batch))).size).toBe(seen.length);
    const asked = door.seen.filter(({ path }) => path.includes(batchId)).map(({ path }) => path);
    expect(asked.length).toBeGreaterThan(1);
    expect(new Set(asked)).toEqual(new Set([`/v1/batches/${batchId}/events`]));
  });

  test('it starts after what is known, ends at once for what has ended, and stops when told to', async () => {
    const charge = await stack.provider.charge(20_000);
    const { runId } = await service.refunds.start(refundOf(charge, '20.00'), {
      idempotencyKey: randomUUID(),
    });
    await service.refunds.waitUntilFinished(runId);
    const rest: TimelineEntry[] = [];
    door.next({ kind: 'answered', status: 429, body: { code: 'rate_limited' } });
    for await (const entry of service.refunds.watch(runId, { after: 3 })) rest.push(entry);
    expect(rest[0]?.seq).toBe(4);
    expect(door.seen.filter(({ path }) => path.endsWith('/events'))).toHaveLength(2);

    const open = await stack.as('service').openApproval({ paymentId: charge, amount: '60.00' });
    const giveUp = new AbortController();
    const stopped = (async () => {
      for await (const entry of service.refunds.watch(open.runId, { signal: giveUp.signal }))
        if (entry.event === 'approval_opened') giveUp.abort();
    })();
    await expect(stopped).rejects.toThrow('aborted');
    expect((await refused(service.refunds.watch('run_none').next())).code).toBe('not_found');
  });
});
