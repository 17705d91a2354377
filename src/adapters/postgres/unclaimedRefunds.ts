import type { ProviderPayment } from '../../ports/payments';
import type { Transaction } from './database';

/**
 * The sum of refunds that carry our metadata and are none of ours: no call of that key was ever journalled for a refund
 * of this payment, or it made another refund, or the provider had refused it for certain. Minor units.
 */
export async function unclaimed(
  trx: Transaction,
  paymentId: string,
  marked: NonNullable<ProviderPayment['markedOurs']>,
): Promise<number> {
  const journal = await trx
    .selectFrom('effects')
    .innerJoin('runs', 'runs.run_id', 'effects.run_id')
    .select(['effects.key', 'effects.provider_id', 'effects.state'])
    .where('runs.payment_id', '=', paymentId)
    .execute();
  const isOurs = ({ id, key }: (typeof marked)[number]) =>
    journal.some(
      (effect) =>
        effect.provider_id === id ||
        (effect.key === key && effect.provider_id === null && effect.state !== 'refused'),
    );
  return marked.filter((refund) => !isOurs(refund)).reduce((sum, { amount }) => sum + amount, 0);
}
