import type { ProviderRefund } from '../src/ports/payments';
import type { Dependencies } from './dependencies';

/** The provider's present word on a refund that was pending (R16). */
export function checkRefund({ payments }: Pick<Dependencies, 'payments'>) {
  return async ({ refundId }: { readonly refundId: string }): Promise<ProviderRefund> =>
    payments.getRefund(refundId);
}
