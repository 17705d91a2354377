import type { NewSplit, Split, Splits } from '../../ports/splits';
import type { Transaction } from './database';
import { takeKey } from './runs';

type Asked = Pick<Split, 'reason' | 'allocation' | 'payments'>;

export class PostgresSplits implements Splits {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async create(split: NewSplit): Promise<boolean> {
    const { splitId, requester, orderId, amount, reason, allocation, payments } = split;
    if (!(await takeKey(this.trx, this.tenant, { ...split, runId: splitId }))) return false;
    const asked: Asked = { reason, allocation, payments };
    await this.trx
      .insertInto('refund_splits')
      .values({
        split_id: splitId,
        tenant: this.tenant,
        requester,
        order_id: orderId,
        currency: amount.currency,
        amount: amount.minor,
        request: JSON.stringify(asked),
      })
      .execute();
    return true;
  }

  async find(splitId: string): Promise<Split | undefined> {
    const row = await this.trx
      .selectFrom('refund_splits')
      .selectAll()
      .where('split_id', '=', splitId)
      .executeTakeFirst();
    return (
      row && {
        splitId: row.split_id,
        requester: row.requester,
        orderId: row.order_id,
        amount: { minor: row.amount, currency: row.currency },
        ...(row.request as Asked),
        createdAt: row.created_at.getTime(),
      }
    );
  }
}
