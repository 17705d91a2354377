import Stripe from 'stripe';
import { StripeWebhooks } from '../../../src/adapters/payments/stripeWebhooks';

const secret = 'whsec_for_this_test_only';
const webhooks = new StripeWebhooks('default', secret);

function read(event: unknown) {
  const payload = JSON.stringify(event);
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
  return webhooks.read(new TextEncoder().encode(payload), signature);
}

const refund = { id: 're_1', metadata: {} };

describe('a signed event of the provider', () => {
  test('R18: says what it is about', () => {
    expect(read({ id: 'evt_1', type: 'refund.failed', data: { object: refund } })).toEqual({
      id: 'evt_1',
      type: 'refund.failed',
      about: { kind: 'refund', refundId: 're_1', news: true },
    });
    const dispute = { id: 'dp_1', charge: { id: 'ch_1' } };
    expect(read({ id: 'evt_2', type: 'charge.dispute.created', data: { object: dispute } }).about).toEqual({
      kind: 'dispute',
      disputeId: 'dp_1',
      paymentId: 'ch_1',
    });
    expect(read({ id: 'evt_3', type: 'payout.paid', data: { object: null } }).about).toEqual({
      kind: 'other',
    });
  });

  test.each<[string, unknown]>([
    ['a number', 5],
    ['a text', 'x'],
    ['a list', []],
    ['nothing in it', {}],
    ['no id', { type: 'refund.failed', data: { object: refund } }],
    ['an id with a NUL', { id: 'evt\u0000', type: 'refund.failed', data: { object: refund } }],
    ['no type', { id: 'evt_1', type: null, data: { object: refund } }],
    ['no data', { id: 'evt_1', type: 'refund.failed' }],
    ['no object', { id: 'evt_1', type: 'refund.failed', data: { object: null } }],
    ['a refund without id', { id: 'evt_1', type: 'refund.failed', data: { object: {} } }],
    [
      'a dispute of no charge',
      { id: 'evt_1', type: 'charge.dispute.closed', data: { object: { id: 'dp_1', charge: null } } },
    ],
  ])('R41: %s is refused plainly, although it is signed', (_what, event) => {
    expect(() => read(event)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
