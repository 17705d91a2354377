import { randomUUID } from 'node:crypto';
import type { PaymentProvider } from '../../src/ports/payments';
import { quietRuntime } from '../replay/quietRuntime';
import { bundleOf } from '../replay/storedHistory';
import { query } from '../support/database';
import { TestStack } from '../support/stack';
import { auditOf, brokenAuditRows, paidOut } from '../workflows/evidence';
import { outcomeOf, paidOnce, refundOf } from './outcome';
import { startScratchWorker, type ScratchWorker } from './scratchWorker';

const captured = 50_000;

/** Spoils one thing at a time and shows that the checks of this folder find it: a check that can't fail proves nothing. */
describe('control: the checks notice', () => {
  let stack: TestStack;
  let bundle: { code: string };
  let worker: ScratchWorker | undefined;
  beforeAll(async () => {
    quietRuntime();
    [stack, bundle] = await Promise.all([TestStack.start({ workers: 0 }), bundleOf()]);
  });
  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
  });
  afterAll(() => stack.stop());

  async function approvedWithALostAnswer(spoil?: (payments: PaymentProvider) => PaymentProvider) {
    worker = await startScratchWorker(stack, bundle, (dependencies) =>
      spoil ? { ...dependencies, payments: spoil(dependencies.payments) } : dependencies,
    );
    const charge = await stack.provider.charge(captured);
    await stack.provider.admin('POST', 'faults', {
      kind: 'cut_after_commit',
      match: { method: 'POST', path: '/v1/refunds', payment: charge },
    });
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: refundOf.amount });
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    return { charge, runId: approval.runId };
  }

  /** Everything but the named part goes to the real adapter. */
  const withIssue = (payments: PaymentProvider, issue: PaymentProvider['issueRefund']): PaymentProvider => ({
    loadPayment: (id, timeoutMs) => payments.loadPayment(id, timeoutMs),
    issueRefund: issue,
    getRefund: (id) => payments.getRefund(id),
    findRefund: (payment, runId) => payments.findRefund(payment, runId),
    listRefunds: (page) => payments.listRefunds(page),
    readBooks: (id, timeoutMs) => payments.readBooks(id, timeoutMs),
  });

  test('R1: control: wired as the product is, a lost answer is one refund and the checks are content', async () => {
    const { charge, runId } = await approvedWithALostAnswer();
    expect(await outcomeOf(stack, charge, runId)).toEqual(paidOnce(captured, runId));
  });

  test('R1: control: with a new key for every attempt the provider pays twice, and the checks say so', async () => {
    const { charge, runId } = await approvedWithALostAnswer((payments) =>
      withIssue(payments, (refund) => payments.issueRefund({ ...refund, key: randomUUID() })),
    );
    expect(await paidOut(stack, charge)).toEqual([
      [refundOf.minor, 'succeeded'],
      [refundOf.minor, 'succeeded'],
    ]);
    expect(await outcomeOf(stack, charge, runId)).not.toEqual(paidOnce(captured, runId));
  });

  test('R22: control: with another amount than the approved one the checks say so', async () => {
    const { charge, runId } = await approvedWithALostAnswer((payments) =>
      withIssue(payments, (refund) =>
        payments.issueRefund({ ...refund, amount: { ...refund.amount, minor: refund.amount.minor - 1 } }),
      ),
    );
    expect(await outcomeOf(stack, charge, runId)).not.toEqual(paidOnce(captured, runId));
  });

  test('R37: control: a changed, a removed and an inserted audit row each break the chain', async () => {
    const { runId } = await approvedWithALostAnswer();
    const asSuperuser = (text: string) => query(stack.database.adminUrl, text, [runId]);
    expect(await brokenAuditRows(stack, runId)).toEqual([]);
    await expect(
      asSuperuser(`update audit set actor = 'nobody' where run_id = $1 and seq = 3`),
    ).rejects.toThrow('append-only');
    await query(stack.database.adminUrl, 'alter table audit disable trigger all');
    await asSuperuser(`update audit set actor = 'nobody' where run_id = $1 and seq = 3`);
    expect(await brokenAuditRows(stack, runId)).toEqual([3]);
    await asSuperuser('delete from audit where run_id = $1 and seq = 5');
    expect(await brokenAuditRows(stack, runId)).toContain(6);
    const rows = (await auditOf(stack, runId)).length;
    await asSuperuser(
      `insert into audit select tenant, run_id, seq + 100, at, actor, event, step || '-copy', before, after, reason,
         policy_version, effect_key, provider_id, prev_hash, hash from audit where run_id = $1 and seq = 2`,
    );
    expect((await brokenAuditRows(stack, runId)).length).toBeGreaterThan(0);
    expect(await auditOf(stack, runId)).toHaveLength(rows + 1);
  });
});
