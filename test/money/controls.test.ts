import type { PaymentProvider } from '../../src/ports/payments';
import { toProviderAmount } from '../../src/domain/money/providerAmounts';
import { startScratchWorker, type ScratchWorker } from '../chaos/scratchWorker';
import { quietRuntime } from '../replay/quietRuntime';
import { bundleOf } from '../replay/storedHistory';
import { query } from '../support/database';
import { Scene } from './scene';
import { wrongs } from './settled';

/** Spoils one thing at a time: a checker that finds nothing then would prove nothing when it finds nothing. */
describe('control: what compares the provider with our books notices', () => {
  let scene: Scene;
  let bundle: { code: string };
  let worker: ScratchWorker | undefined;
  beforeAll(async () => {
    quietRuntime();
    [scene, bundle] = await Promise.all([Scene.open({ workers: 0 }), bundleOf()]);
  });
  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
  });
  afterAll(() => scene.stop());

  /** As the adapter does it, with everything but the key. Not by the SDK, which sends again by itself, under a key of its own. */
  const withoutKey: PaymentProvider['issueRefund'] = async ({ key, runId, paymentId, amount }) => {
    const { url, key: apiKey } = scene.stack.provider;
    const answer = await fetch(`${url}/v1/refunds`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body: new URLSearchParams({
        charge: paymentId,
        amount: String(toProviderAmount(amount)),
        'metadata[countersign_run_id]': runId,
        'metadata[countersign_key]': key,
      }),
    });
    const { id } = (await answer.json()) as { id: string };
    return { id, paymentId, status: 'succeeded', amount, runId };
  };

  async function aLostAnswer(
    issue?: PaymentProvider['issueRefund'],
  ): Promise<{ charge: string; runId: string }> {
    worker = await startScratchWorker(scene.stack, bundle, (dependencies) => {
      const { payments } = dependencies;
      if (!issue) return dependencies;
      const spoiled: PaymentProvider = {
        loadPayment: (id, timeoutMs) => payments.loadPayment(id, timeoutMs),
        issueRefund: issue,
        getRefund: (id) => payments.getRefund(id),
        findRefund: (payment, key) => payments.findRefund(payment, key),
        listRefunds: (page) => payments.listRefunds(page),
        readBooks: (id, timeoutMs) => payments.readBooks(id, timeoutMs),
      };
      return { ...dependencies, payments: spoiled };
    });
    const charge = await scene.charge();
    await scene.fault(charge, 'cut_after_commit');
    const runId = await scene.start(charge, '25.00');
    await scene.service.untilPhase(runId, 'completed');
    return { charge, runId };
  }

  test('R1: control: wired as the product is, a lost answer leaves nothing wrong', async () => {
    const { charge } = await aLostAnswer();
    expect(await wrongs(scene.stack, charge)).toEqual([]);
  });

  test('R1: control: with the key left out the provider pays twice, and that is found', async () => {
    const { charge, runId } = await aLostAnswer(withoutKey);
    expect(await wrongs(scene.stack, charge)).toEqual([
      `${runId} was refunded 2 times`,
      `${runId} is completed and not refunded`,
      'the provider paid 5000, the ledger says 2500',
    ]);
  });

  test('R6: control: a balance that says another sum is found', async () => {
    const { charge } = await aLostAnswer();
    await query(
      scene.stack.database.adminUrl,
      'update payments set refunded = refunded + 1 where payment_id = $1',
      [charge],
    );
    expect(await wrongs(scene.stack, charge)).toEqual([
      'the balance has 2501 refunded, its runs 2500',
      'the provider paid 2500, the ledger says 2501',
    ]);
  });

  test('R19: control: an outcome that is told a second time, or untruly, is found', async () => {
    const { charge, runId } = await aLostAnswer();
    const tell = (template: string) =>
      query(
        scene.stack.database.adminUrl,
        `insert into notifications (key, tenant, run_id, recipient, template, data)
         values ($1, 'acme', $2, 'service', $3, '{}')`,
        [`${runId}:${template}:again`, runId, template],
      );
    await tell('refund_completed');
    expect(await wrongs(scene.stack, charge)).toEqual([expect.stringContaining('was told twice')]);
    await tell('refund_failed');
    expect(await wrongs(scene.stack, charge)).toContain(`${runId} is completed, told refund_failed`);
  });
});
