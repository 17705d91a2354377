import { causeOf, type LedgerFigures } from '../../../src/domain/ledger/accounts';

const moved = (change: Partial<LedgerFigures>): LedgerFigures => ({
  customer: 0,
  captured: 0,
  reserved: 0,
  unknown: 0,
  refunded: 0,
  disputed: 0,
  ...change,
});

test.each<[string, boolean, Partial<LedgerFigures>]>([
  ['reserved', true, { captured: -5, reserved: 5 }],
  ['released', true, { captured: 5, reserved: -5 }],
  ['released', true, { captured: 5, unknown: -5 }],
  ['outcome_unknown', true, { reserved: -5, unknown: 5 }],
  ['refunded', true, { unknown: -5, refunded: 5 }],
  ['refund_reversed', true, { captured: 5, refunded: -5 }],
  ['captured', false, { customer: -5, captured: 5 }],
  ['refunded_at_provider', false, { captured: -5, refunded: 5 }],
  ['refund_at_provider_undone', false, { captured: 5, refunded: -5 }],
  ['disputed', false, { captured: -5, disputed: 5 }],
  ['dispute_undone', false, { captured: 5, disputed: -5 }],
  ['provider_record', false, { customer: -5, captured: 2, disputed: 3 }],
])('a movement that is %s is called so', (cause, byRun, change) => {
  const figures = moved(change);
  expect(Object.values(figures).reduce((sum, figure) => sum + figure, 0)).toBe(0);
  expect(causeOf(figures, byRun)).toBe(cause);
});
