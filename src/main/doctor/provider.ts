import Stripe from 'stripe';
import { finding, patienceMs, Wrong, type Finding } from './finding';

/** The payment provider, and whether it is a simulation: nobody should take one for the other. */
export async function checkProvider(
  key: string,
  base: string | undefined,
  whenDown: string,
): Promise<Finding> {
  const url = new URL(base ?? 'https://api.stripe.com');
  const stripe = new Stripe(key, {
    host: url.hostname,
    protocol: url.protocol === 'http:' ? 'http' : 'https',
    ...(url.port === '' ? {} : { port: url.port }),
    maxNetworkRetries: 0,
    timeout: patienceMs,
    telemetry: false,
  });
  return finding('provider', whenDown, async () => {
    try {
      const { lastResponse } = await stripe.charges.list({ limit: 1 });
      return `${kindOf(lastResponse.headers, key)} at ${url.origin}`;
    } catch (error) {
      if (error instanceof Stripe.errors.StripeAuthenticationError)
        throw new Wrong(`${url.origin} does not know the key`, 'set STRIPE_API_KEY to a key of that account');
      if (error instanceof Stripe.errors.StripePermissionError)
        throw new Wrong(
          'the key may not read charges',
          'let it read charges, refunds, disputes, and write refunds',
        );
      throw error;
    }
  });
}

function kindOf(headers: Record<string, string>, key: string): string {
  if (headers['x-countersign-sandbox'] !== undefined) return 'SIMULATION that moves no money,';
  return /^[a-z]+_live_/.test(key) ? 'live account' : 'test account';
}
