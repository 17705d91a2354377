import { CountersignError } from '../domain/errors';
import { pageOf } from '../domain/page';
import type { Principal } from '../ports/people';
import { providerPatienceMs, type UseCases } from './dependencies';
import { movementView, type MovementView } from './reconciliationViews';

export interface HistoryPage {
  /** The last `seq` of the page before, 0 for none. */
  readonly after: number;
  readonly limit: number;
}

/**
 * The one id of a payment that this tenant has a balance of, by `ch_…` or `pi_…`.
 * @throws CountersignError not_found, also for another tenant's (R38); dependency_unavailable
 */
export async function findPayment(
  { store, payments }: UseCases,
  { tenant }: Principal,
  paymentId: string,
): Promise<string> {
  const own = (id: string) => store.inTenant(tenant, (unit) => unit.books.idOf(id));
  const known = await own(paymentId);
  if (known !== undefined) return known;
  // Taken in before intents were kept: only the provider knows which payment it is.
  if (!/^pi_\w+$/.test(paymentId)) throw new CountersignError('not_found');
  const asked = await payments.loadPayment(paymentId, providerPatienceMs).catch(unlessFinal);
  const found = asked && (await own(asked.paymentId));
  if (found === undefined) throw new CountersignError('not_found');
  return found;
}

/** Every movement of one payment's money, oldest first, with the balances after each. @param paymentId of `findPayment` */
export async function paymentHistory(
  { store }: UseCases,
  { tenant }: Principal,
  paymentId: string,
  { after, limit }: HistoryPage,
): Promise<{ items: MovementView[]; nextCursor: { at: string; seq: string } | null }> {
  return store.inTenant(tenant, async (unit) => {
    const movements = await unit.books.history(paymentId, after, limit + 1);
    const { page, last } = pageOf(movements, limit);
    return {
      items: page.map(movementView),
      nextCursor: last ? { at: last.atText, seq: String(last.seq) } : null,
    };
  });
}

function unlessFinal(error: unknown): undefined {
  if (error instanceof CountersignError && error.retry === 'fail') return undefined;
  throw new CountersignError('dependency_unavailable', 'the provider does not answer; ask for the ch_… id');
}
