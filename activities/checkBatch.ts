import { CountersignError } from '../src/domain/errors';
import { checkAdmissible } from '../src/domain/refund/admission';
import type { StoredRefundItem } from '../src/ports/batches';
import type { ProviderPayment } from '../src/ports/payments';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';
import { whileHeartbeating } from './heartbeat';

export interface BatchToCheck {
  readonly tenant: string;
  readonly batchId: string;
}

/** Rows of one transaction, and payments that are read at the same time. */
const rowsAtOnce = 50;
const readsAtOnce = 8;

/**
 * Looks at the next rows of a batch as the door of single refunds looks at one: the payment at the provider, and what
 * remains of it beside earlier rows of the file. Nothing is held. Begun again after a death, it goes on with the rows
 * that nobody has looked at. @returns whether there are more
 */
export function checkBatch({ store, payments }: Pick<Dependencies, 'store' | 'payments'>) {
  return async ({ tenant, batchId }: BatchToCheck): Promise<{ more: boolean }> =>
    whileHeartbeating(() =>
      store.inTenant(tenant, async (unit) => {
        const batch = await unit.batches.find(batchId);
        if (!batch) throw new CountersignError('not_started_here');
        if (batch.cancelledBy !== null) return { more: false };
        const items = await unit.batchItems.take(batchId, 'unchecked', rowsAtOnce);
        const read = await readAll(payments, items);
        const { document } = await unit.policies.newest();
        for (const item of items) {
          try {
            const paymentId = await check(
              unit,
              batchId,
              item,
              read.get(item.row),
              document.refundWindowHours,
            );
            await unit.batchItems.ready(batchId, item.row, paymentId);
          } catch (error) {
            if (!(error instanceof CountersignError) || error.status >= 500) throw error;
            await unit.batchItems.leaveOut(batchId, item.row, error.code, error.detail);
          }
        }
        return { more: items.length === rowsAtOnce };
      }),
    );
}

/** What the provider refuses of a row is that row's answer; where it does not answer, the step is tried again. */
async function readAll(
  payments: Dependencies['payments'],
  items: readonly StoredRefundItem[],
): Promise<Map<number, ProviderPayment | CountersignError>> {
  const read = new Map<number, ProviderPayment | CountersignError>();
  const waiting = [...items];
  const lane = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) {
      const { row, paymentId } = item;
      read.set(row, await payments.loadPayment(paymentId, 4_000).catch(refusal));
    }
  };
  await Promise.all(Array.from({ length: readsAtOnce }, lane));
  return read;
}

function refusal(error: unknown): CountersignError {
  if (error instanceof CountersignError && error.status < 500) return error;
  throw error;
}

async function check(
  unit: Unit,
  batchId: string,
  { refund: { request } }: StoredRefundItem,
  payment: ProviderPayment | CountersignError | undefined,
  windowHours: number,
): Promise<string> {
  if (payment === undefined || payment instanceof CountersignError)
    throw payment ?? new CountersignError('payment_unknown');
  const balance = await unit.ledger.adopt(payment);
  checkAdmissible({ ...balance, voided: payment.voided }, request.amount, windowHours, Date.now());
  const before = await unit.batchItems.readyOf(batchId, balance.paymentId);
  const remaining = balance.remaining - before;
  if (request.amount.minor <= remaining) return balance.paymentId;
  if (balance.disputed > 0 && request.amount.minor <= remaining + balance.disputed)
    throw new CountersignError('payment_disputed');
  throw new CountersignError(
    'exceeds_remaining',
    before > 0 ? 'with earlier rows of the file, more than remains of the payment' : undefined,
  );
}
