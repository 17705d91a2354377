import { join } from 'node:path';
import { fileExists, startProcess, type TestProcess } from '../support/processes';
import { fromSetup } from '../support/shared';
import { TestStack } from '../support/stack';
import { auditOf, balanceOf, paidOut } from './evidence';

describe('a provider that refuses our credentials', () => {
  let stack: TestStack;
  let locked: TestProcess | undefined;
  beforeAll(async () => {
    stack = await TestStack.start({ workers: 0 });
  });
  afterEach(() => locked?.kill('SIGKILL'));
  afterAll(() => stack.stop());

  async function lockedOutWorker(): Promise<void> {
    const ready = join(fromSetup('FOLDER'), `${stack.temporal.namespace}-locked-out.ready`);
    locked = await startProcess(
      ['worker'],
      { ...stack.env, STRIPE_API_KEY: 'sk_test_revoked', COUNTERSIGN_READY_FILE: ready },
      fileExists(ready),
    );
  }

  /** Credentials are right again: whoever looked restarts the worker, and the hourly look finds it. */
  async function mended(runId: string): Promise<void> {
    await locked?.kill('SIGKILL');
    await stack.startWorker();
    await stack.temporal.skipTime('acme', runId);
    await stack.as('service').untilPhase(runId, 'completed');
    await stack.killWorkers();
  }

  async function reviewCodes(runId: string): Promise<(string | null)[]> {
    return (await auditOf(stack, runId))
      .filter((line) => line.event === 'needs_review')
      .map((line) => line.reason);
  }

  test('R14: before the refund is sent a person is asked, and the run goes on when it is mended', async () => {
    const charge = await stack.provider.charge(20_000);
    await lockedOutWorker();
    const started = await stack.as('service').startRefund({ paymentId: charge, amount: '12.00' });
    await stack.as('service').untilPhase(started.body.runId, 'needs_review');
    expect(await reviewCodes(started.body.runId)).toEqual(['provider_authentication']);
    expect(await paidOut(stack, charge)).toEqual([]);
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 1_200 });
    await mended(started.body.runId);
    expect(await paidOut(stack, charge)).toEqual([[1_200, 'succeeded']]);
  });

  test('R16: while a refund is pending a person is asked, and its outcome still is awaited', async () => {
    const charge = await stack.provider.charge(20_000);
    await stack.provider.admin('POST', 'faults', {
      kind: 'refund_pending',
      match: { payment: charge, path: '/v1/refunds' },
    });
    await stack.startWorker();
    const started = await stack.as('service').startRefund({ paymentId: charge, amount: '13.00' });
    await stack.as('service').untilPhase(started.body.runId, 'settling');
    await stack.killWorkers();
    await lockedOutWorker();
    await stack.temporal.skipTime('acme', started.body.runId);
    await stack.as('service').untilPhase(started.body.runId, 'needs_review');
    expect(new Set(await reviewCodes(started.body.runId))).toEqual(new Set(['provider_authentication']));

    const [refund] = await stack.provider.refunds(charge);
    await stack.provider.admin('POST', `refunds/${refund?.id}`, { status: 'succeeded' });
    await mended(started.body.runId);
    expect(await paidOut(stack, charge)).toEqual([[1_300, 'succeeded']]);
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 1_300, reserved: 0, unknown: 0 });
  });
});
