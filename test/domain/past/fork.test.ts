import { askedBefore, forkBody, forkedBody } from '../../../src/domain/past/fork';
import { statesOf } from '../../../src/domain/past/states';
import type { RefundRequest } from '../../../src/domain/refund/request';
import { checkReviewer } from '../../../src/domain/refund/review';

const usd = (minor: number) => ({ minor, currency: 'USD' });
const request: RefundRequest = {
  paymentId: 'ch_1',
  amount: usd(12_000),
  reason: 'damaged',
  orderId: 'order-1',
  threadId: 'thread-1',
  onBehalfOf: 'ada',
  lines: [{ lineId: 'sku-1', quantity: 1, of: { quantity: 2, amount: usd(24_000) } }],
};
const origin = { requester: 'service', onBehalfOf: 'ada', request, note: 'broken' };
const steps = statesOf([
  { seq: 1, at: 0, actor: 'service', event: 'requested', after: { amount: usd(12_000), reason: 'damaged' } },
  { seq: 2, at: 1, actor: 'reviewer1', event: 'decision_edit', after: { amount: usd(20_000), revision: 2 } },
]);
const [asked, edited] = steps.map(({ state }) => state);
if (!asked || !edited) throw new Error('two states were made');

describe('what a fork asks for', () => {
  test('R4: as it was at that point, with the changes, and for nobody whom the old requester spoke for', () => {
    expect(forkedBody(origin, edited, {})).toEqual({
      paymentId: 'ch_1',
      amount: { value: '200.00', currency: 'USD' },
      ...{ reason: 'damaged', orderId: 'order-1', threadId: 'thread-1', note: 'broken' },
      lines: [
        { lineId: 'sku-1', quantity: 1, of: { quantity: 2, amount: { value: '240.00', currency: 'USD' } } },
      ],
    });
    expect(forkedBody(origin, asked, {}).amount.value).toBe('120.00');
    const changed = forkedBody(origin, asked, {
      ...{ reason: 'goodwill', onBehalfOf: 'bob', lines: null, threadId: null },
      amount: { value: '80.00', currency: 'USD' },
    });
    expect(changed).toMatchObject({ reason: 'goodwill', onBehalfOf: 'bob', amount: { value: '80.00' } });
    expect(Object.keys(changed)).not.toEqual(expect.arrayContaining(['lines']));
    expect(Object.keys(changed)).not.toEqual(expect.arrayContaining(['threadId']));
  });

  test('R22: the payment is none of its changes, and nothing else is taken', () => {
    for (const body of [{ paymentId: 'ch_2' }, { tenant: 'globex' }, { at: 0 }, { at: 'yesterday' }])
      expect(forkBody.safeParse(body).success).toBe(false);
    expect(forkBody.safeParse({ at: 3, lines: null, amount: { value: '1', currency: 'USD' } }).success).toBe(
      true,
    );
  });

  test('R23: whoever had asked there counts as asking here, with the editor whose amount is taken over', () => {
    expect(askedBefore(origin, asked, usd(8_000))).toEqual(['service', 'ada']);
    expect(askedBefore(origin, edited, usd(8_000))).toEqual(['service', 'ada']);
    expect(askedBefore(origin, edited, usd(20_000))).toEqual(['service', 'ada', 'reviewer1']);
    const again = {
      ...origin,
      requester: 'agent',
      onBehalfOf: null,
      request: { ...request, askedBy: ['Ada'] },
    };
    expect(askedBefore(again, asked, usd(1))).toEqual(['agent', 'Ada']);
  });

  test('R23: none of them settles its review either', () => {
    const run = {
      ...{ tenant: 'acme', requester: 'agent', onBehalfOf: null, amount: usd(1) },
      request: { reason: 'damaged' as const, askedBy: ['service', 'ada'] },
    };
    const review = (id: string) => () =>
      checkReviewer(
        'leads',
        { id, tenant: 'acme', kind: 'person', groups: ['leads'], limitMajor: null },
        run,
        () => ({ allowed: true, ruleIds: [] }),
      );
    expect(review('Ada')).toThrow(expect.objectContaining({ code: 'separation_of_duties' }));
    expect(review('lead')).not.toThrow();
  });
});
