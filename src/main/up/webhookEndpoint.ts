import Stripe from 'stripe';
import { z } from 'zod';
import { wantedEvents } from '../../adapters/payments/stripeWebhooks';
import type { DataFolder } from '../../sandbox/embedded/dataFolder';
import { readStateFile, writeStateFile } from '../../sandbox/embedded/stateFile';
import type { Plan } from './plan';

const endpoint = z.object({ id: z.string(), secret: z.string() });

/** Tells the sandbox provider where to send its events, once for a data folder. @returns what it signs them with */
export async function registerWebhooks(plan: Plan, folder: DataFolder): Promise<string> {
  const { hostname, port } = new URL(plan.providerUrl);
  const stripe = new Stripe(plan.providerKey, { host: hostname, port, protocol: 'http', telemetry: false });
  const file = folder.file('webhook-endpoint.json');
  const url = `${plan.apiUrl}/v1/webhooks/stripe`;
  const events = [...wantedEvents];
  const kept = readStateFile(file, endpoint);
  if (kept) {
    // The API may be on another port than before.
    const updated = await stripe.webhookEndpoints
      .update(kept.id, { url, enabled_events: events })
      .catch(unlessUnknown);
    if (updated) return kept.secret;
  }
  // Under this key an answer that was lost, or a death before the file was written, makes no second endpoint.
  const idempotencyKey = `webhook-endpoint:${url}:${kept?.id ?? 'first'}`;
  const made = await stripe.webhookEndpoints.create({ url, enabled_events: events }, { idempotencyKey });
  const secret = endpoint.parse(made);
  writeStateFile(file, secret);
  return secret.secret;
}

/** A provider whose database is new knows no endpoint of before. */
function unlessUnknown(error: unknown): undefined {
  if (error instanceof Stripe.errors.StripeError && error.statusCode === 404) return undefined;
  throw error;
}
