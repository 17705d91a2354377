import type { DifferenceView, ReconciliationView } from '../../src/application/reconciliationViews';
import { query } from '../support/database';
import { until } from '../support/processes';
import type { TestStack } from '../support/stack';

type Tenant = 'acme' | 'globex';

/** Nothing in a suite waits a quarter of an hour: what moved a moment ago is compared too. */
export const withoutGrace = { COUNTERSIGN_RECONCILE_GRACE_SECONDS: '0' };

/** No event of the provider reaches us from now on, so that only a reconciliation finds out. */
export async function withoutEvents({ provider }: Pick<TestStack, 'provider'>): Promise<void> {
  await provider.admin('POST', 'faults', { kind: 'webhook_never', match: { event: '*' }, times: null });
}

export async function started(stack: TestStack, tenant: Tenant = 'acme'): Promise<string> {
  const answer = await stack.as('admin', tenant).call('POST', '/v1/reconciliations', {});
  if (answer.status !== 202) throw new Error(`expected 202, got ${answer.status} ${answer.text}`);
  return (answer.body as ReconciliationView).id;
}

export async function seen(
  stack: TestStack,
  id: string,
  tenant: Tenant = 'acme',
): Promise<ReconciliationView> {
  return (await stack.as('service', tenant).call('GET', `/v1/reconciliations/${id}`))
    .body as ReconciliationView;
}

export async function ended(
  stack: TestStack,
  id: string,
  tenant: Tenant = 'acme',
): Promise<ReconciliationView> {
  let now: ReconciliationView | undefined;
  await until(async () => {
    now = await seen(stack, id, tenant);
    return typeof now.finishedAt === 'string';
  }, 50_000);
  if (now?.state !== 'finished') throw new Error(`it ended as ${JSON.stringify(now)}`);
  return now;
}

/** One whole reconciliation. */
export async function reconciled(stack: TestStack, tenant: Tenant = 'acme'): Promise<ReconciliationView> {
  return ended(stack, await started(stack, tenant), tenant);
}

/** What was found about one payment, by the doors. */
export async function differencesOf(
  stack: TestStack,
  paymentId: string,
  tenant: Tenant = 'acme',
): Promise<DifferenceView[]> {
  const items: DifferenceView[] = [];
  for (let cursor = ''; ;) {
    const path = `/v1/reconciliations/differences?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { body } = await stack.as('service', tenant).call('GET', path);
    const page = body as { items: DifferenceView[]; nextCursor: string | null };
    items.push(...page.items.filter((item) => item.paymentId === paymentId));
    if (page.nextCursor === null) return items;
    cursor = page.nextCursor;
  }
}

/** A statement of somebody who can do anything, past every trigger of ours. */
export async function behindOurBack(
  { database }: Pick<TestStack, 'database'>,
  statement: string,
): Promise<void> {
  await query(database.adminUrl, `set session_replication_role = replica; ${statement}`);
}

/** A refund of ours that the provider has paid. */
export async function paid(
  stack: TestStack,
  charge: string,
  amount: string,
  tenant: Tenant = 'acme',
): Promise<{ runId: string; refundId: string }> {
  const service = stack.as('service', tenant);
  const { body } = await service.startRefund({ paymentId: charge, amount });
  const { runId } = body as { runId: string };
  const done = await service.untilPhase(runId, 'completed');
  return { runId, refundId: done.result?.refundId ?? '' };
}
