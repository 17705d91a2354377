import fc from 'fast-check';
import { formatAmount } from '../../../src/domain/money/decimal';
import {
  parseRefundRequest,
  refundBody,
  refundReasons,
  type RefundBody,
} from '../../../src/domain/refund/request';
import { moneyArbitrary } from '../money/arbitraries';

const usd = (value: string) => ({ value, currency: 'USD' });
const line = (change: Record<string, unknown> = {}) => ({
  lineId: 'sku-1',
  quantity: 1,
  of: { quantity: 3, amount: usd('10.00') },
  ...change,
});
const body = (change: Record<string, unknown> = {}): RefundBody => ({
  paymentId: 'ch_1',
  amount: usd('49.00'),
  reason: 'damaged',
  ...change,
});

describe('the body of a refund request', () => {
  test('R3: 49, 49.0 and 49.00 are one request', () => {
    const [first, ...rest] = ['49', '49.0', '49.00'].map((v) => parseRefundRequest(body({ amount: usd(v) })));
    expect(first).toEqual({
      paymentId: 'ch_1',
      amount: { minor: 4_900, currency: 'USD' },
      reason: 'damaged',
    });
    for (const other of rest) expect(other).toEqual(first);
  });

  test('R10: any amount of any currency comes through as it was', () => {
    fc.assert(
      fc.property(
        moneyArbitrary.filter((m) => m.minor > 0),
        (amount) => {
          const value = formatAmount(amount);
          const parsed = parseRefundRequest(body({ amount: { value, currency: amount.currency } }));
          expect(parsed.amount).toEqual(amount);
        },
      ),
    );
  });

  test.each(refundReasons.map((reason) => [reason]))('reason %s is known', (reason) => {
    expect(refundBody.safeParse(body({ reason })).success).toBe(true);
  });

  test.each([
    ['no payment', { paymentId: undefined }],
    ['an empty payment', { paymentId: '' }],
    ['a payment that is none', { paymentId: 'cus_1' }],
    ['a payment with a space', { paymentId: 'ch_1 ch_2' }],
    ['an amount as a number', { amount: { value: 49, currency: 'USD' } }],
    ['an amount without currency', { amount: { value: '49' } }],
    ['a field too many in the amount', { amount: { ...usd('49'), exponent: 2 } }],
    ['a reason that is none', { reason: 'because' }],
    ['a field that is unknown', { approved: true }],
    ['a prototype in disguise', JSON.parse('{"__proto__": {"approved": true}}')],
    ['a note of 2001 characters', { note: 'n'.repeat(2001) }],
    ['a note with a NUL', { note: 'a\u0000b' }],
    ['a note with half a character', { note: 'a\ud800b' }],
    ['evidence with a NUL', { evidence: ['a\u0000b'] }],
    ['evidence with half a character', { evidence: [{ label: 'a\udc00' }] }],
    ['21 pieces of evidence', { evidence: Array.from({ length: 21 }, () => 'seen') }],
    ['a link that is a script', { evidence: [{ label: 'x', url: 'javascript:alert(1)' }] }],
    ['201 lines', { lines: Array.from({ length: 201 }, (_, i) => line({ lineId: `l${i}` })) }],
    ['no lines in lines', { lines: [] }],
    ['half a unit', { lines: [line({ quantity: 0.5 })] }],
    ['no unit', { lines: [line({ quantity: 0 })] }],
    ['a line without a name', { lines: [line({ lineId: '' })] }],
    ['a line without its whole', { lines: [line({ of: undefined })] }],
    ['shipping without its whole', { shipping: { amount: usd('4.90') } }],
    ['a customer of 129 characters', { customerId: 'c'.repeat(129) }],
  ])('R41: %s is refused', (_what, change: Record<string, unknown>) => {
    expect(refundBody.safeParse({ ...body(), ...change }).success).toBe(false);
  });

  test('R41: the longest of everything still passes', () => {
    const longest = body({
      note: 'n'.repeat(2000),
      customerId: 'c'.repeat(128),
      evidence: Array.from({ length: 20 }, () => ({ label: 'l'.repeat(200), text: 't'.repeat(1000) })),
      lines: Array.from({ length: 200 }, (_, i) => line({ lineId: `l${i}`, quantity: 100_000 })),
      shipping: { of: usd('4.90'), amount: usd('4.90') },
    });
    expect(refundBody.safeParse(longest).success).toBe(true);
  });

  test('R3: lines and shipping are normalized, shipping to all of it where nothing is said', () => {
    const parsed = parseRefundRequest(
      body({
        orderId: 'o',
        lines: [line({ of: { quantity: 3, amount: usd('10') } })],
        shipping: { of: usd('4.9') },
      }),
    );
    expect(parsed).toMatchObject({
      lines: [
        { lineId: 'sku-1', quantity: 1, of: { quantity: 3, amount: { minor: 1_000, currency: 'USD' } } },
      ],
      shipping: { of: { minor: 490 }, amount: { minor: 490 } },
    });
  });

  test.each<[string, Record<string, unknown>, string, string | undefined]>([
    ['without an order', { lines: [line()], orderId: undefined }, 'invalid_request', 'orderId'],
    [
      'shipping without an order',
      { shipping: { of: usd('4.90') }, orderId: undefined },
      'invalid_request',
      'orderId',
    ],
    ['named twice', { lines: [line(), line({ quantity: 2 })] }, 'invalid_request', 'lines.1.lineId'],
    ['of more than was bought', { lines: [line({ quantity: 4 })] }, 'invalid_request', 'lines.0.quantity'],
    [
      'with more shipping than there was',
      { shipping: { of: usd('4.90'), amount: usd('4.91') } },
      'invalid_request',
      'shipping.amount',
    ],
    [
      'in another currency',
      { lines: [line({ of: { quantity: 3, amount: { value: '10.00', currency: 'EUR' } } })] },
      'currency_mismatch',
      undefined,
    ],
    [
      'that cost nothing',
      { lines: [line({ of: { quantity: 3, amount: usd('0') } })] },
      'amount_not_positive',
      undefined,
    ],
  ])('R11: lines %s are refused', (_what, change, code, path) => {
    try {
      parseRefundRequest(body({ orderId: 'o', ...change }));
      throw new Error('expected a refusal');
    } catch (error) {
      expect(error).toMatchObject({ code });
      if (path !== undefined) expect(error).toMatchObject({ details: { issues: [{ path }] } });
    }
  });
});
