import { CountersignError } from '../src/domain/errors';
import type { TheirBooks } from '../src/domain/reconciliation/books';
import { compare, difference } from '../src/domain/reconciliation/compare';
import type { FoundDifference } from '../src/domain/reconciliation/difference';
import type { BooksOfPayment } from '../src/ports/paymentBooks';
import type { PaymentProvider, ProviderBooks } from '../src/ports/payments';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';

const patienceMs = 10_000;
const defaultGraceMs = 15 * 60_000;

export interface PaymentToCompare {
  readonly tenant: string;
  readonly reconciliationId: string;
  readonly paymentId: string;
}

/**
 * Compares one payment and records what differs, all of it in one transaction: what was found, what is gone, what was
 * adopted, what a run has to be told, and that the payment is done. Safe to repeat.
 */
export async function comparePayment(
  { store, payments, reconcileGraceMs = defaultGraceMs }: Dependencies,
  { tenant, reconciliationId, paymentId }: PaymentToCompare,
): Promise<'compared' | 'in_flight'> {
  const readAt = Date.now();
  const theirs = await read(payments, paymentId);
  return store.inTenant(tenant, async (unit) => {
    const own = await unit.books.lock(paymentId, 'refunds' in theirs ? theirs.refunds : []);
    const found =
      'refunds' in theirs
        ? compare(own.books, own.refunds, await theirBooks(unit, theirs, own))
        : [unread(paymentId, theirs)];
    // Between a call and its settlement both sides may rightly differ.
    if (found.length > 0 && own.movedAt > readAt - reconcileGraceMs) return 'in_flight';
    await unit.differences.replace(reconciliationId, paymentId, found);
    if (found.some(({ adopted }) => adopted) && 'payment' in theirs) await unit.ledger.adopt(theirs.payment);
    for (const one of found) await handOver(unit, one);
    await unit.reconciliations.countPayment(reconciliationId, paymentId, found.length);
    return 'compared';
  });
}

/** A final refusal is a finding; an outage is not. */
async function read(payments: PaymentProvider, paymentId: string): Promise<ProviderBooks | CountersignError> {
  try {
    return await payments.readBooks(paymentId, patienceMs);
  } catch (error) {
    if (error instanceof CountersignError && error.retry === 'fail') return error;
    throw error;
  }
}

/** Of a payment whose balance is not ours, only what names a run of ours is our business (R38). */
async function theirBooks(
  { ledger }: Unit,
  { payment, refunds }: ProviderBooks,
  { books, runIds }: BooksOfPayment,
): Promise<TheirBooks> {
  const { captured, disputed } = payment;
  const refundedElsewhere = await ledger.elsewhere(payment);
  const ours = refunds.filter(
    ({ runId }) => books !== undefined || (runId !== undefined && runIds.has(runId)),
  );
  return { captured, disputed, refundedElsewhere, refunds: ours };
}

function unread(paymentId: string, { code, detail }: CountersignError): FoundDifference {
  const missing = code === 'payment_unknown';
  return difference(missing ? 'payment_missing' : 'payment_unreadable', {
    ours: null,
    theirs: null,
    explanation: missing
      ? `We have a balance of payment ${paymentId}, and the provider knows no such payment.`
      : `The provider's record of payment ${paymentId} can't be read: ${detail}`,
  });
}

/** The run is told by the API, on the same way as by a webhook that never came. */
async function handOver(unit: Unit, { news, runId, refundId }: FoundDifference): Promise<void> {
  if (!news || runId === undefined || refundId === undefined) return;
  await unit.outbox.owe({ runId, kind: 'news', ref: refundId });
}
