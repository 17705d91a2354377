import type { Balance } from '../../ports/ledger';
import type { UseCases } from '../dependencies';

/** How long the provider is waited for, ms. */
const patienceMs = 5_000;

/**
 * A payment's balance as an intake would find it. Nothing is kept of the look: a payment is claimed by whoever refunds it,
 * not by whoever asks about it, so the transaction that shows the balance is given up.
 * @throws CountersignError payment_unknown, also for another tenant's; provider_*
 */
export async function lookAtPayment(
  { store, payments }: Pick<UseCases, 'store' | 'payments'>,
  tenant: string,
  paymentId: string,
): Promise<Balance> {
  const payment = await payments.loadPayment(paymentId, patienceMs);
  try {
    return await store.inTenant(tenant, async ({ ledger }) => {
      throw new OnlyLooked(await ledger.adopt(payment));
    });
  } catch (error) {
    if (error instanceof OnlyLooked) return error.balance;
    throw error;
  }
}

class OnlyLooked extends Error {
  constructor(readonly balance: Balance) {
    super('only looked');
  }
}
