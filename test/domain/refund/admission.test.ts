import { checkAdmissible } from '../../../src/domain/refund/admission';
import { refusalOf } from '../money/arbitraries';

const hourMs = 3_600_000;
const window = 90 * 24;
const paidAt = Date.UTC(2026, 6, 1);
const payment = { currency: 'USD', captured: 1, paidAt };
const usd = { minor: 100, currency: 'USD' };

describe("what the provider's own record forbids", () => {
  test('R9: the refund window is 90 times 24 hours, inclusive, whatever the clocks did meanwhile', () => {
    const end = paidAt + window * hourMs;
    checkAdmissible(payment, usd, window, end);
    expect(refusalOf(() => checkAdmissible(payment, usd, window, end + 1))).toBe('payment_too_old');
  });

  test('R56: nothing captured is refused first, with what to do instead', () => {
    const uncaptured = { ...payment, captured: 0, currency: 'EUR' };
    expect(refusalOf(() => checkAdmissible(uncaptured, usd, window, paidAt))).toBe('payment_uncaptured');
  });

  test('R10: another currency than the payment has is refused, and the right one is named', () => {
    expect(refusalOf(() => checkAdmissible({ ...payment, currency: 'EUR' }, usd, window, paidAt))).toBe(
      'currency_mismatch',
    );
    expect(() => checkAdmissible({ ...payment, currency: 'EUR' }, usd, window, paidAt)).toThrow(
      /EUR, not USD/,
    );
  });
});
