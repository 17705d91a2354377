import { CountersignError } from '../domain/errors';
import { hasFailed } from '../domain/refund/providerRefund';
import { roundOf } from '../domain/steps';
import type { ProviderEvent, ProviderRefund, ProviderWebhooks } from '../ports/payments';
import type { Effect } from '../ports/ledger';
import type { ProviderEvents } from '../ports/reviews';
import type { Run } from '../ports/runs';
import type { Unit } from '../ports/store';
import type { UseCases } from './dependencies';
import { inputOf } from './intake';
import { workflowOf } from './reviewRefund';

/** How long the provider is waited for while an event is handled, ms. */
const patienceMs = 5_000;

export interface ProviderNews extends UseCases {
  readonly webhooks: ProviderWebhooks;
  readonly providerEvents: ProviderEvents;
}

/**
 * One event of the provider. What it is about is read again there, so that order, content and number of events count
 * for nothing (R18). It is on record only once it is handled: what fails or dies before is handled when it comes again.
 * @throws CountersignError webhook_signature_invalid, dependency_unavailable
 */
export async function takeProviderEvent(
  news: ProviderNews,
  rawBody: Uint8Array,
  signature: string,
): Promise<void> {
  const { webhooks, providerEvents } = news;
  const event = webhooks.read(rawBody, signature);
  if (await providerEvents.isHandled(webhooks.account, event.id)) return;
  try {
    await handle(news, event);
  } catch (error) {
    if (error instanceof CountersignError)
      throw new CountersignError('dependency_unavailable', `not handled yet: ${error.detail}`);
    throw error;
  }
  await providerEvents.recordHandled(webhooks.account, event.id, event.type);
}

async function handle(news: ProviderNews, { type, about }: ProviderEvent): Promise<void> {
  switch (about.kind) {
    case 'refund':
      return about.news ? refundChanged(news, about.refundId) : undefined;
    case 'dispute':
      return disputeChanged(news, about.paymentId, about.disputeId, type === 'charge.dispute.created');
    case 'other':
      return undefined;
  }
}

/** What the provider says of one refund now, for the balance and for the run that it belongs to. */
export async function refundChanged(news: ProviderNews, refundId: string): Promise<void> {
  const refund = await news.payments.getRefund(refundId);
  const tenant = await news.providerEvents.tenantOf(news.webhooks.account, refund.paymentId);
  // Nobody has refunded this payment through us: there is no balance to keep.
  if (tenant === undefined) return;
  if (refund.runId === undefined) await adopt(news, tenant, refund.paymentId);
  const books = () => news.store.inTenant(tenant, (unit) => booksOf(unit, refund));
  const { run } = await books();
  if (!run) return;
  const delivered = await news.engine.signalProviderChanged(workflowOf(run));
  if (!hasFailed(refund.status)) return;
  // Read again: it may have ended since.
  const now = await books();
  if (delivered === 'gone') return reopen(news, now, refund);
  // It may be just ending, and look no more: the provider sends this again until our books have it.
  if (now.effect?.state !== 'failed')
    throw new CountersignError('dependency_unavailable', 'the run has not taken this in yet');
}

interface Books {
  readonly run?: Run;
  readonly effect?: Effect;
}

/** The run and the effect that a refund belongs to, within the tenant whose payment it is of. */
async function booksOf(unit: Unit, refund: ProviderRefund): Promise<Books> {
  const effect = await unit.effects.ofRefund(refund.id);
  const runId = effect?.runId ?? refund.runId;
  const run = runId === undefined ? undefined : await unit.runs.find(runId);
  return run?.paymentId === refund.paymentId ? { run, ...(effect ? { effect } : {}) } : {};
}

/** A run that has ended on a refund that failed since is carried on (R17). Reopened twice, it is one workflow. */
async function reopen(news: ProviderNews, { run, effect }: Books, refund: ProviderRefund): Promise<void> {
  if (run?.phase !== 'completed' || run.result?.refundId !== refund.id || !effect) return;
  const input = {
    ...inputOf(run),
    paymentId: run.paymentId,
    arguments: { amount: run.executed?.amount ?? run.amount, reason: (run.executed ?? run.request).reason },
    reopened: { refundId: refund.id, round: roundOf(effect.key) + 1 },
  };
  const reopenedBy = await news.engine.reopen(input, run.customer);
  await news.store.inTenant(run.tenant, (unit) => unit.runs.change(run.runId, { reopenedBy }));
}

/** A dispute takes from what may still be refunded, and is shown on every run that has not ended (R6). */
async function disputeChanged(
  news: ProviderNews,
  paymentId: string,
  disputeId: string,
  opened: boolean,
): Promise<void> {
  const tenant = await news.providerEvents.tenantOf(news.webhooks.account, paymentId);
  if (tenant === undefined) return;
  const disputed = await adopt(news, tenant, paymentId);
  if (!opened) return;
  await news.store.inTenant(tenant, async (unit) => {
    for (const { runId } of await unit.runs.unfinishedOf(paymentId)) {
      await unit.audit.append({
        runId,
        actor: 'provider',
        event: 'dispute_opened',
        step: `dispute:${disputeId}`,
        after: { disputed },
        providerId: disputeId,
      });
    }
  });
}

/** The balance takes over the provider's record: refunds made by hand, and disputes. @returns what is disputed */
async function adopt(news: ProviderNews, tenant: string, paymentId: string) {
  const payment = await news.payments.loadPayment(paymentId, patienceMs);
  const { disputed, currency } = await news.store.inTenant(tenant, (unit) => unit.ledger.adopt(payment));
  return { minor: disputed, currency };
}
