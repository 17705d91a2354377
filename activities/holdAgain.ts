import { CountersignError } from '../src/domain/errors';
import type { Money } from '../src/domain/money/money';
import type { Dependencies } from './dependencies';

export interface AmountToHold {
  readonly tenant: string;
  readonly runId: string;
  readonly paymentId: string;
  readonly amount: Money;
}

/** Before a refund that failed is made again: the payment as the provider has it now must still bear it. */
export function holdAgain({ store, payments }: Pick<Dependencies, 'store' | 'payments'>) {
  return async ({
    tenant,
    runId,
    paymentId,
    amount,
  }: AmountToHold): Promise<{ held: true } | { held: false; detail: string }> => {
    try {
      const payment = await payments.loadPayment(paymentId, 4_000);
      await store.inTenant(tenant, async (unit) => {
        await unit.ledger.adopt(payment);
        await unit.ledger.reserve(runId, paymentId, amount.minor);
      });
      return { held: true };
    } catch (error) {
      if (!(error instanceof CountersignError) || (error.retry !== 'fail' && error.retry !== 'ask_person'))
        throw error;
      return { held: false, detail: error.detail };
    }
  };
}
