import { sql } from 'kysely';
import { listPage } from './listPage';
import type { Work } from './operation';
import { byCharge, byIntent, findPayment } from './payments';
import type { RefundRow } from './schema';
import { invalidRequest } from './stripeError';
import { chargeView, paymentIntentView, refundView } from './stripeObjects';
import type { StripeObject } from './stripeObjects';

/**
 * Replaces ids by the objects that `expand` names, on one object or (`data.…`) on each of a list.
 * @throws StripeError 400 for a property that can't be expanded here
 */
export async function expanded(
  work: Work,
  object: StripeObject,
  names: readonly string[] | undefined,
): Promise<StripeObject> {
  for (const name of names ?? []) {
    if (object['object'] === 'list' && name.startsWith('data.')) {
      for (const item of object['data'] as StripeObject[])
        await expandOne(work, item, name.slice('data.'.length));
    } else {
      await expandOne(work, object, name);
    }
  }
  return object;
}

async function expandOne(work: Work, object: StripeObject, path: string): Promise<void> {
  const [name = '', ...rest] = path.split('.');
  const value = await propertyOf(work, object, name);
  if (value === undefined) {
    throw invalidRequest(`This property cannot be expanded (${path}).`, { param: 'expand' });
  }
  object[name] = value;
  if (rest.length > 0) await expandOne(work, value, rest.join('.'));
}

async function propertyOf(work: Work, object: StripeObject, name: string): Promise<StripeObject | undefined> {
  const { account } = work.call;
  const present = object[name];
  if (typeof present === 'object' && present !== null) return present as StripeObject;
  if (name === 'refunds' && object['object'] === 'charge') {
    const charge = String(object['id']);
    const url = `/v1/charges/${charge}/refunds`;
    return listPage<RefundRow>(work, 'refunds', url, {}, refundView, [sql`charge = ${charge}`]);
  }
  if (typeof present !== 'string') return undefined;
  if (name === 'charge' || name === 'latest_charge') {
    const row = await findPayment(work.db, account, byCharge(present));
    return row && chargeView(row);
  }
  if (name === 'payment_intent') {
    const row = await findPayment(work.db, account, byIntent(present));
    return row && paymentIntentView(row);
  }
  return undefined;
}
