import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { CountersignError } from '../client';
import { parseAmount } from '../domain/money/decimal';
import type { Money } from '../domain/money/money';
import { toProviderAmount } from '../domain/money/providerAmounts';
import type { Settings } from '../main/settings';
import { UsageError } from './failure';
import { askSandbox, providerOf, type Provider } from './sandboxProvider';

export interface ChargeOptions {
  readonly amount: string;
  readonly currency: string;
  readonly customer?: string;
  readonly uncaptured?: boolean;
  readonly created?: string;
}

type Charge = Pick<Stripe.Charge, 'id' | 'captured'>;

/**
 * A payment by a test card.
 * @throws CountersignError amount_*, currency_unknown; dependency_unavailable; UsageError for a live account
 */
export async function makeCharge(
  settings: Settings,
  options: ChargeOptions,
): Promise<{ charge: Charge; amount: Money }> {
  const provider = providerOf(settings);
  const amount = parseAmount(options.amount, options.currency);
  const created = options.created === undefined ? undefined : momentOf(options.created);
  try {
    const charge = await stripeOf(provider).charges.create(
      {
        amount: toProviderAmount(amount),
        currency: options.currency.toLowerCase(),
        source: 'tok_visa',
        ...(options.customer === undefined ? {} : { customer: options.customer }),
        ...(options.uncaptured ? { capture: false } : {}),
      },
      // The client sends again what got no answer; under this key that is one payment.
      { idempotencyKey: `charge-${randomUUID()}` },
    );
    return { amount, charge: created === undefined ? charge : await backdate(provider, charge.id, created) };
  } catch (error) {
    throw refusedBy(error, provider);
  }
}

function stripeOf({ base, key }: Provider): Stripe {
  return new Stripe(key, {
    host: base.hostname,
    protocol: base.protocol === 'http:' ? 'http' : 'https',
    ...(base.port === '' ? {} : { port: base.port }),
    maxNetworkRetries: 2,
    timeout: 10_000,
    telemetry: false,
  });
}

/** The simulation's own way to make a payment old. `created` in seconds since the epoch. */
async function backdate(provider: Provider, id: string, created: number): Promise<Charge> {
  try {
    return (await askSandbox(provider, 'POST', `charges/${id}`, { created })) as Charge;
  } catch (error) {
    throw new UsageError(`${id} is made, but not backdated: ${error instanceof Error ? error.message : ''}`);
  }
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function momentOf(when: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(when) ?? [];
  if (count !== undefined && unit !== undefined)
    return Math.floor(Date.now() / 1_000) - Number(count) * (unitSeconds[unit] ?? 1);
  const at = /^\d{4}-\d\d-\d\d/.test(when) ? Date.parse(when) : Number.NaN;
  if (Number.isNaN(at)) throw new UsageError('--created: a date such as 2026-01-31, or an age such as 91d');
  return Math.floor(at / 1_000);
}

function refusedBy(error: unknown, { base }: Provider): unknown {
  if (error instanceof Stripe.errors.StripeConnectionError)
    return new CountersignError('dependency_unavailable', `the provider at ${base.origin} does not answer`);
  if (error instanceof Stripe.errors.StripeAuthenticationError)
    return new CountersignError('provider_authentication');
  if (error instanceof Stripe.errors.StripeError)
    return new CountersignError('invalid_request', `the provider refuses: ${error.message}`);
  return error;
}
