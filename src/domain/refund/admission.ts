import { CountersignError } from '../errors';
import type { Money } from '../money/money';

const hourMs = 3_600_000;

interface AdmissiblePayment {
  readonly currency: string;
  readonly captured: number;
  readonly paidAt: number;
}

/** What to do about a payment of which nothing was captured: there is nothing to send back. */
function uncaptured(voided: boolean | undefined): CountersignError {
  return voided
    ? new CountersignError(
        'payment_uncaptured',
        'The authorization of this payment was voided and nothing was taken: there is nothing to refund. The bank of the customer lifts the hold by itself.',
      )
    : new CountersignError('payment_uncaptured');
}

/**
 * What the provider's own record forbids, apart from the balance (the ledger's own statement checks that).
 * `now` in ms; the window is inclusive.
 * @throws CountersignError payment_uncaptured, currency_mismatch, payment_too_old
 */
export function checkAdmissible(
  payment: AdmissiblePayment & { readonly voided?: boolean | undefined },
  amount: Money,
  windowHours: number,
  now: number,
): void {
  if (payment.captured === 0) throw uncaptured(payment.voided);
  if (payment.currency !== amount.currency) {
    throw new CountersignError(
      'currency_mismatch',
      `the payment is in ${payment.currency}, not ${amount.currency}`,
      {
        paymentCurrency: payment.currency,
      },
    );
  }
  if (now - payment.paidAt > windowHours * hourMs) {
    throw new CountersignError('payment_too_old', `the refund window of ${windowHours} hours has passed`, {
      paidAt: new Date(payment.paidAt).toISOString(),
    });
  }
}
