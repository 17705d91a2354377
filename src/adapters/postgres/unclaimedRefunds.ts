import type { ProviderPayment } from '../../ports/payments';
import type { Transaction } from './database';

type Marked = NonNullable<ProviderPayment['markedOurs']>;

/**
 * The sum of refunds that carry our metadata and are none of ours, minor units. Ours is one of a run that holds or has
 * moved money of this payment, for that is counted with the run; unless the run has its refund, and this is a second one.
 */
export async function unclaimed(trx: Transaction, paymentId: string, marked: Marked): Promise<number> {
  const journal = await trx
    .selectFrom('runs')
    .leftJoin('effects', 'effects.run_id', 'runs.run_id')
    .select(['runs.run_id', 'runs.money', 'effects.provider_id'])
    .where('runs.payment_id', '=', paymentId)
    .execute();
  const isOurs = ({ id, runId }: Marked[number]) => {
    const ofRun = journal.filter((row) => row.run_id === runId);
    if (ofRun.some((row) => row.provider_id === id)) return true;
    const holds = ofRun.some(({ money }) => money !== 'none' && money !== 'freed');
    const hasAnother = ofRun.some((row) => marked.some((other) => other.id === row.provider_id));
    return holds && !hasAnother;
  };
  return marked.filter((refund) => !isOurs(refund)).reduce((sum, { amount }) => sum + amount, 0);
}
