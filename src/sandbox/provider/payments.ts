import type { Kysely } from 'kysely';
import type { Work } from './operation';
import type { ChargeRow, ProviderTables } from './schema';
import { noSuch } from './stripeError';

export interface PaymentReference {
  readonly column: 'id' | 'payment_intent';
  readonly value: string;
}

export function byCharge(id: string): PaymentReference {
  return { column: 'id', value: id };
}

export function byIntent(id: string): PaymentReference {
  return { column: 'payment_intent', value: id };
}

export async function findPayment(
  db: Kysely<ProviderTables>,
  account: string,
  payment: PaymentReference,
): Promise<ChargeRow | undefined> {
  return db
    .selectFrom('charges')
    .selectAll()
    .where(payment.column, '=', payment.value)
    .where('account', '=', account)
    .executeTakeFirst();
}

/** The charge and the payment intent that a request or an object names, or is itself. */
export function paymentsOf(named: Readonly<Record<string, unknown>>, id: string): string[] {
  return [id, named['charge'], named['payment_intent']].filter(
    (value): value is string => typeof value === 'string' && /^(ch|pi)_/.test(value),
  );
}

/** @throws StripeError 404, the same for an unknown payment and for another account's */
export async function getPayment(work: Work, payment: PaymentReference, param = 'id'): Promise<ChargeRow> {
  const row = await findPayment(work.db, work.call.account, payment);
  if (row === undefined) throw noSuchPayment(payment, param);
  return row;
}

export function noSuchPayment(payment: PaymentReference, param = 'id'): Error {
  return noSuch(payment.column === 'id' ? 'charge' : 'payment_intent', payment.value, param);
}
