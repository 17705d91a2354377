import { itemsOfPages } from './pages';
import type { PageOptions } from './reconciliations';
import type { CallOptions, Transport } from './transport';
import type { Movement } from './bookTypes';
import type { Page } from './types';

/** `countersign.payments` */
export class Payments {
  constructor(private readonly transport: Transport) {}

  /**
   * One page of the movements of a payment's money, oldest first, with the balances after each. `pi_…` and `ch_…` of
   * one payment have one history.
   * @throws CountersignError not_found
   */
  async history(
    paymentId: string,
    filter: PageOptions = {},
    options: CallOptions = {},
  ): Promise<Page<Movement>> {
    const path = `/v1/payments/${encodeURIComponent(paymentId)}/history`;
    return (await this.transport.call<Page<Movement>>({ path, query: { ...filter }, ...options })).body;
  }

  /** Every movement, page after page. */
  allHistory(
    paymentId: string,
    filter: Omit<PageOptions, 'cursor'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Movement> {
    return itemsOfPages((cursor) => this.history(paymentId, { ...filter, cursor }, options));
  }
}
