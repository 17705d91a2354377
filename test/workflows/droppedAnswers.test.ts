import { LossyProxy, type Which } from '../support/lossyProxy';
import { TestStack } from '../support/stack';
import { balanceOf, paidOut, told } from './evidence';

/** API and worker reach the provider through a proxy that drops answers after the provider has done its work. */
let stack: TestStack;
let proxy: LossyProxy;
beforeAll(async () => {
  stack = await TestStack.start({
    through: async (providerUrl) => {
      proxy = await LossyProxy.start(providerUrl);
      return proxy.url;
    },
  });
});
afterEach(async () => {
  await stack.provider.admin('DELETE', 'faults');
  // A drop that never came to be would prove nothing.
  expect(proxy.reset()).toBe(0);
});
afterAll(async () => {
  await stack.stop();
  await proxy.stop();
});

const to =
  (method: string, path: RegExp): Which =>
  (call) =>
    call.method === method && path.test(call.path);
const issuing = to('POST', /^\/v1\/refunds$/);

/** A payment whose loading asks for everything: it has a refund by hand and a dispute that was won. */
async function payment(): Promise<{ charge: string; intent: string }> {
  const charge = await stack.provider.charge(20_000);
  const { payment_intent: intent } = await stack.provider.stripe.charges.retrieve(charge);
  await stack.provider.stripe.refunds.create({ charge, amount: 100 });
  const dispute = await stack.provider.admin('POST', 'disputes', { charge, amount: 4_000 });
  await stack.provider.admin('POST', `disputes/${(dispute as { id: string }).id}/close`, { outcome: 'won' });
  return { charge, intent: intent as string };
}

const fault = (charge: string, kind: string, more: Record<string, unknown> = {}) =>
  stack.provider.admin('POST', 'faults', { kind, match: { method: 'POST', payment: charge }, ...more });

/** The refund of the one case needs an approval, so the payment is loaded at the door and again before money moves. */
const cases: [string, Which, number, (charge: string) => Promise<unknown>][] = [
  ['the payment intent is loaded', to('GET', /^\/v1\/payment_intents\/pi_/), 2, async () => undefined],
  ['the charge is loaded', to('GET', /^\/v1\/charges\/ch_/), 4, async () => undefined],
  ['its disputes are listed', to('GET', /^\/v1\/disputes$/), 4, async () => undefined],
  ['its refunds are listed', to('GET', /^\/v1\/refunds$/), 4, async () => undefined],
  ['the refund is made', issuing, 2, async () => undefined],
  [
    'a refund is looked for behind an error of the provider',
    // Those before belong to loading the payment.
    (call) => to('GET', /^\/v1\/refunds$/)(call) && proxy.calls.some(issuing),
    2,
    (charge) => fault(charge, 'status_500', { afterEffect: true }),
  ],
  [
    'a pending refund is asked for',
    to('GET', /^\/v1\/refunds\/re_/),
    2,
    (charge) => fault(charge, 'refund_pending', { afterMs: 500 }),
  ],
];

describe('a whole run through a proxy that drops answers after commit', () => {
  test.each(cases)(
    'R12, R13: dropped when %s: the run ends right, with one refund',
    async (_when, which, times, prepare) => {
      const { charge, intent } = await payment();
      await prepare(charge);
      proxy.drop(which, times);
      const service = stack.as('service');
      const approval = await service.openApproval({ paymentId: intent, amount: '60.00' });
      expect((await stack.as('reviewer1').decide(approval, 'approve')).status).toBe(200);
      const done = await service.untilPhase(approval.runId, 'completed');

      const [, ...ours] = (await stack.provider.refunds(charge)).reverse();
      expect(ours.map(({ id, amount, status }) => [id, amount, status])).toEqual([
        [done.result?.refundId, 6_000, 'succeeded'],
      ]);
      expect(await paidOut(stack, charge)).toEqual([
        [100, 'succeeded'],
        [6_000, 'succeeded'],
      ]);
      expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 6_000, reserved: 0, unknown: 0 });
      const keys = proxy.calls.filter(issuing).map(({ idempotencyKey }) => idempotencyKey);
      expect(new Set(keys)).toEqual(new Set([`${approval.runId}:issue_refund`]));
      expect(proxy.calls.filter(({ dropped }) => dropped)).toHaveLength(times);
      expect(await told(stack, approval.runId)).toHaveLength(1);
    },
  );
});
