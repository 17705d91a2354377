import Stripe from 'stripe';
import { z } from 'zod';
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
    let signed: unknown;
    try {
      signed = Stripe.webhooks.constructEvent(Buffer.from(rawBody), signature, this.secret, toleranceSeconds);
    } catch {
      throw new CountersignError('webhook_signature_invalid');
    }
    return eventOf(signed);
  }
}

const id = z.string().regex(/^[!-~]{1,255}$/);
const event = z.object({ id, type: id, data: z.object({ object: z.unknown() }) });
const refund = z.object({ id, metadata: z.record(z.string(), z.unknown()).nullish() });
const dispute = z.object({ id, charge: z.union([id, z.object({ id })]) });

/** @throws CountersignError invalid_request for what was signed and is no event all the same */
function eventOf(signed: unknown): ProviderEvent {
  const read = event.safeParse(signed);
  if (!read.success) throw noEvent();
  return { id: read.data.id, type: read.data.type, about: aboutOf(read.data.type, read.data.data.object) };
}

function noEvent(): CountersignError {
  return new CountersignError('invalid_request', 'that is no event of the provider');
}

function aboutOf(type: string, object: unknown): ProviderEvent['about'] {
  if (type.startsWith('refund.') || type === 'charge.refund.updated') {
    const read = refund.safeParse(object);
    if (!read.success) throw noEvent();
    // That a refund of ours was created is no news: our own call says so, or is made again.
    const news = type !== 'refund.created' || read.data.metadata?.['countersign_key'] === undefined;
    return { kind: 'refund', refundId: read.data.id, news };
  }
  if (type.startsWith('charge.dispute.')) {
    const read = dispute.safeParse(object);
    if (!read.success) throw noEvent();
    const { id: disputeId, charge } = read.data;
    return { kind: 'dispute', disputeId, paymentId: typeof charge === 'string' ? charge : charge.id };
  }
  return { kind: 'other' };
}
