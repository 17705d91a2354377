import type { OurBooks, OurRefund, TheirBooks } from '../../../src/domain/reconciliation/books';
import { compare } from '../../../src/domain/reconciliation/compare';
import type { ProviderRefund } from '../../../src/domain/refund/providerRefund';

const usd = (minor: number) => ({ minor, currency: 'USD' });
const readAt = 1_000_000;

/** 100.00 captured, 30.00 of it refunded by run_1, and both sides say so. */
const call: OurRefund = {
  runId: 'run_1',
  key: 'run_1:issue_refund',
  state: 'succeeded',
  refundId: 're_1',
  amount: usd(3_000),
};
const refund: ProviderRefund = {
  id: 're_1',
  paymentId: 'ch_1',
  status: 'succeeded',
  amount: usd(3_000),
  runId: 'run_1',
  key: 'run_1:issue_refund',
  createdAt: readAt - 60_000,
};
const books = (change: Partial<OurBooks> = {}): OurBooks => {
  const figures = {
    currency: 'USD',
    captured: 10_000,
    disputed: 0,
    refunded: 3_000,
    refundedElsewhere: 0,
    reserved: 0,
    unknown: 0,
    readAt,
    ...change,
  };
  const refunded = figures.refunded + figures.refundedElsewhere;
  const rest = figures.captured - figures.disputed - refunded - figures.reserved - figures.unknown;
  const { captured: paid, disputed, reserved, unknown } = figures;
  return {
    entries: { customer: -paid, captured: rest, reserved, unknown, refunded, disputed },
    runs: { reserved, unknown, paid: figures.refunded },
    ...figures,
  };
};
const theirs = (change: Partial<TheirBooks> = {}): TheirBooks => ({
  captured: 10_000,
  disputed: 0,
  refundedElsewhere: 0,
  refunds: [refund],
  ...change,
});
const byHand: ProviderRefund = {
  id: 're_hand',
  paymentId: 'ch_1',
  status: 'succeeded',
  amount: usd(500),
  createdAt: readAt + 60_000,
};

describe('comparing one payment', () => {
  test('where both sides say the same there is nothing', () => {
    expect(compare(books(), [call], theirs())).toEqual([]);
  });

  test.each<[string, OurRefund['state'], ProviderRefund['status']]>([
    ['pending', 'pending', 'pending'],
    ['an action is required', 'pending', 'requires_action'],
    ['failed', 'failed', 'failed'],
    ['canceled', 'failed', 'canceled'],
  ])('R16: nor where a refund is %s on both sides', (_what, state, status) => {
    const held = state === 'pending' ? { refunded: 0, reserved: 3_000 } : { refunded: 0 };
    const there = theirs({ refunds: [{ ...refund, status }] });
    expect(compare(books(held), [{ ...call, state }], there)).toEqual([]);
  });

  test('R12: a call whose outcome is unknown, and that the provider knows nothing of, is the run’s to resolve', () => {
    const unknown = { ...call, state: 'unknown' as const, refundId: null };
    const held = books({ refunded: 0, unknown: 3_000 });
    expect(compare(held, [unknown], theirs({ refunds: [] }))).toEqual([]);
  });

  test.each<[string, string, Partial<OurBooks>, readonly OurRefund[], Partial<TheirBooks>, RegExp]>([
    [
      'a refund of ours that the provider does not list',
      'refund_missing',
      {},
      [call],
      { refunds: [] },
      /run_1 has refund re_1 of 30\.00 USD .* lists no such refund/,
    ],
    [
      'one that failed there and is paid here',
      'status_differs',
      {},
      [call],
      { refunds: [{ ...refund, status: 'failed', failureReason: 'expired_or_canceled_card' }] },
      /failed \(expired_or_canceled_card\) at the provider: the money did not stay/,
    ],
    [
      'one that is settled there and pending here',
      'status_differs',
      { refunded: 0, reserved: 3_000 },
      [{ ...call, state: 'pending' }],
      {},
      /succeeded at the provider and pending in our books/,
    ],
    [
      'another amount',
      'amount_differs',
      {},
      [{ ...call, amount: usd(2_999) }],
      {},
      /30\.00 USD at the provider; run run_1 has it on record with 29\.99 USD/,
    ],
    [
      'one that carries our run id and that we never sent',
      'refund_unrecorded',
      { refunded: 0 },
      [],
      {},
      /no call of that run is on record/,
    ],
    [
      'one that our record says was refused',
      'refund_unrecorded',
      { refunded: 0 },
      [{ ...call, state: 'refused', refundId: null }],
      {},
      /on record as refused: the customer has money/,
    ],
    [
      'a second one for the same call',
      'refund_unrecorded',
      {},
      [call],
      { refunds: [refund, { ...refund, id: 're_2' }] },
      /re_2 .* has refund re_1 on record: it may have been paid twice/,
    ],
    [
      'one whose outcome our run does not know yet',
      'refund_unrecorded',
      { refunded: 0, unknown: 3_000 },
      [{ ...call, state: 'unknown', refundId: null }],
      {},
      /outcome is not known here yet/,
    ],
    [
      'a balance that says less than the refunds that both sides agree on',
      'balance_differs',
      { refunded: 1_000 },
      [call],
      {},
      /10\.00 USD of this payment .* come to 30\.00 USD/,
    ],
    [
      'entries that do not add up to the balance',
      'ledger_differs',
      {
        entries: {
          customer: -10_000,
          captured: 7_001,
          reserved: 0,
          unknown: 0,
          refunded: 2_999,
          disputed: 0,
        },
      },
      [call],
      {},
      /captured is 70\.00 in the balance and 70\.01 by the entries; refunded is 30\.00 in the balance and 29\.99/,
    ],
    [
      'runs that hold more than the balance says',
      'ledger_differs',
      { runs: { reserved: 1, unknown: 0, paid: 3_000 } },
      [call],
      {},
      /reserved is 0\.00 in the balance and 0\.01 by the runs/,
    ],
  ])('%s is one difference, named once', (_what, kind, ours, calls, there, says) => {
    const found = compare(books(ours), calls, theirs(there));
    expect(found.map((one) => one.kind)).toEqual([kind]);
    expect(found[0]?.explanation).toMatch(says);
    expect(found[0]?.adopted).toBe(false);
  });

  test('R17: the run of a refund that failed is told; one whose refund is missing is for a person alone', () => {
    const failed = compare(books(), [call], theirs({ refunds: [{ ...refund, status: 'failed' }] }));
    expect(failed).toMatchObject([{ runId: 'run_1', refundId: 're_1', news: true }]);
    expect(compare(books(), [call], theirs({ refunds: [] }))).toMatchObject([{ news: false }]);
  });

  test('R18: refunds made by hand since the last look are adopted, each by its name', () => {
    const two = [byHand, { ...byHand, id: 're_hand_2', amount: usd(250) }];
    const there = theirs({ refundedElsewhere: 750, refunds: [refund, ...two] });
    expect(compare(books(), [call], there)).toMatchObject([
      { kind: 'refund_by_hand', refundId: 're_hand', adopted: true, theirs: { amount: usd(500) } },
      { kind: 'refund_by_hand', refundId: 're_hand_2', adopted: true, theirs: { amount: usd(250) } },
    ]);
    const counted = books({ refundedElsewhere: 750 });
    expect(compare(counted, [call], there)).toEqual([]);
  });

  test('R18: one made by hand that a person has named for a run is no difference', () => {
    const named: OurRefund = {
      ...call,
      runId: 'run_2',
      key: 'run_2:issue_refund',
      refundId: 're_hand',
      amount: usd(500),
    };
    const there = theirs({ refundedElsewhere: 500, refunds: [refund, byHand] });
    expect(compare(books({ refundedElsewhere: 500 }), [call, named], there)).toEqual([]);
  });

  test('R6: what was captured, disputed or taken back without us is the provider’s word, with both figures', () => {
    const there = theirs({ captured: 9_000, disputed: 2_000 });
    expect(compare(books({ refundedElsewhere: 500 }), [call], there)).toMatchObject([
      {
        kind: 'payment_changed',
        adopted: true,
        ours: { captured: usd(10_000), disputed: usd(0), refundedElsewhere: usd(500) },
        theirs: { captured: usd(9_000), disputed: usd(2_000), refundedElsewhere: usd(0) },
      },
    ]);
  });

  test('a balance that is gone is said so, besides what else differs', () => {
    expect(compare(undefined, [call], theirs())).toMatchObject([{ kind: 'balance_differs', ours: null }]);
    expect(compare(undefined, [], theirs()).map(({ kind }) => kind)).toEqual([
      'refund_unrecorded',
      'balance_differs',
    ]);
  });
});
