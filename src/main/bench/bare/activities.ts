import Stripe from 'stripe';
import type { BareNews, BareRefund, BareWorkerSettings } from './contract';

/** Two activities: one that proposes, one that pays through the provider's own SDK with an idempotency key. */
export function createBareActivities(settings: BareWorkerSettings, tell: (news: BareNews) => void) {
  const { protocol, hostname, port } = new URL(settings.providerUrl);
  const stripe = new Stripe(settings.providerKey, {
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    ...(port === '' ? {} : { port }),
    telemetry: false,
  });
  return {
    async propose(refund: BareRefund): Promise<BareRefund> {
      tell({ proposed: refund.id });
      return refund;
    },
    async execute({ id, charge, amount }: BareRefund): Promise<string> {
      const refund = await stripe.refunds.create({ charge, amount }, { idempotencyKey: id });
      return refund.id;
    },
  };
}

export type BareActivities = ReturnType<typeof createBareActivities>;
