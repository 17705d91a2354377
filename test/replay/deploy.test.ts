import { join } from 'node:path';
import { startScratchWorker, type ScratchWorker } from '../chaos/scratchWorker';
import { TestStack } from '../support/stack';
import { historyOf, paidOut } from '../workflows/evidence';
import { quietRuntime } from './quietRuntime';
import { bundleOf } from './storedHistory';

describe('a deploy while refunds wait', () => {
  let stack: TestStack;
  let next: { code: string };
  let worker: ScratchWorker | undefined;
  beforeAll(async () => {
    quietRuntime();
    [stack, next] = await Promise.all([
      TestStack.start(),
      bundleOf(join(__dirname, 'controls', 'nextRelease.ts')),
    ]);
  });
  afterAll(async () => {
    await worker?.stop();
    await stack.stop();
  });

  const opened = () => stack.opened('120.00', 50_000);

  async function failedTasks(runId: string) {
    return (await historyOf(stack, runId)).filter((event) => event.workflowTaskFailedEventAttributes);
  }

  test('R33: runs that wait across it, voted on before, during and after, all finish on the new bundle', async () => {
    const charge = await stack.provider.charge(100_000);
    const halfway = await stack.as('service').openApproval({ paymentId: charge, amount: '800.00' });
    await stack.as('reviewer1').decide(halfway, 'approve');
    const during = await opened();
    const after = await opened();
    await stack.killWorkers('SIGKILL');
    const sent = await stack.as('reviewer1').decide(during.approval, 'approve');
    expect(sent.status).toBe(202);

    worker = await startScratchWorker(stack, next);
    for (const decided of [
      await stack.as('reviewer2').decide(halfway, 'approve'),
      await stack.as('reviewer1').decide(after.approval, 'approve'),
    ]) {
      expect([200, 202]).toContain(decided.status);
    }
    for (const { runId } of [halfway, during.approval, after.approval]) {
      await stack.as('service').untilPhase(runId, 'completed');
      expect(await failedTasks(runId)).toEqual([]);
    }
    expect(await paidOut(stack, charge)).toEqual([[80_000, 'succeeded']]);
    expect(await paidOut(stack, during.charge)).toEqual([[12_000, 'succeeded']]);
    expect(await paidOut(stack, after.charge)).toEqual([[12_000, 'succeeded']]);
  });

  test('R33: a run that starts after it takes the new path', async () => {
    const { charge, approval } = await opened();
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    const markers = (await historyOf(stack, approval.runId)).map(
      (event) => event.markerRecordedEventAttributes?.markerName,
    );
    expect(markers).toContain('core_patch');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
  });
});
