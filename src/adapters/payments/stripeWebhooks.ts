import Stripe from 'stripe';
import { CountersignError } from '../../domain/errors';
import type { ProviderEvent, ProviderWebhooks } from '../../ports/payments';

/** An event whose signature is older than this is refused, seconds (R18). */
const toleranceSeconds = 300;

/** The events that we want; those of a new endpoint. */
export const wantedEvents = [
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
] as const;

/** Stripe's events, signed with the secret of our endpoint; the official SDK checks them. */
export class StripeWebhooks implements ProviderWebhooks {
  constructor(
    readonly account: string,
    private readonly secret: string | undefined,
  ) {}

  read(rawBody: Uint8Array, signature: string): ProviderEvent {
    if (this.secret === undefined)
      throw new CountersignError('webhook_signature_invalid', 'STRIPE_WEBHOOK_SECRET is not set');
    let event: Stripe.Event;
    try {
      event = Stripe.webhooks.constructEvent(Buffer.from(rawBody), signature, this.secret, toleranceSeconds);
    } catch {
      throw new CountersignError('webhook_signature_invalid');
    }
    return { id: event.id, type: event.type, about: aboutOf(event) };
  }
}

function aboutOf(event: Stripe.Event): ProviderEvent['about'] {
  switch (event.type) {
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated': {
      const { id, metadata } = event.data.object;
      // That a refund of ours was created is no news: our own call says so, or is made again.
      const news = event.type !== 'refund.created' || metadata?.['countersign_key'] === undefined;
      return { kind: 'refund', refundId: id, news };
    }
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated': {
      const { id, charge } = event.data.object;
      return { kind: 'dispute', disputeId: id, paymentId: typeof charge === 'string' ? charge : charge.id };
    }
    default:
      return { kind: 'other' };
  }
}
