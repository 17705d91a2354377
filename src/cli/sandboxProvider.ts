import { CountersignError } from '../client';
import type { Settings } from '../main/settings';
import { embeddedAdminToken, readUpReport } from '../main/upReport';
import { UsageError } from './failure';

export interface Provider {
  readonly base: URL;
  readonly key: string;
  readonly adminToken: string;
}

const stripeItself = 'https://api.stripe.com';

/**
 * The provider of the environment, else that of `countersign up`.
 * @throws UsageError where none is known, or for a live account
 */
export function providerOf(settings: Settings): Provider {
  const { STRIPE_API_BASE: base, STRIPE_API_KEY: key, COUNTERSIGN_SANDBOX_ADMIN_TOKEN: admin } = settings;
  const embedded = base === undefined && key === undefined ? readUpReport(settings) : undefined;
  const known = embedded ? { base: embedded.providerUrl, key: embedded.providerKey } : { base, key };
  if (known.key === undefined) {
    throw new UsageError(
      'no provider is known: set STRIPE_API_BASE and STRIPE_API_KEY, or run: countersign up',
    );
  }
  // Only a test key: these commands are for trying things.
  if (/^[a-z]+_live_/.test(known.key))
    throw new UsageError('STRIPE_API_KEY is a live key; trying things needs a test key (sk_test_…)');
  return {
    base: new URL(known.base ?? stripeItself),
    key: known.key,
    adminToken: admin ?? (embedded && embeddedAdminToken(settings)) ?? known.key,
  };
}

/**
 * One call to what only the simulation has, under `/sandbox`.
 * @throws CountersignError dependency_unavailable, provider_authentication, not_found, invalid_request; UsageError
 * where the provider is none of ours
 */
export async function askSandbox(
  { base, adminToken }: Provider,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<unknown> {
  const notOurs = `${base.origin} is not the sandbox provider; only the simulation does that`;
  // Its key is for its own API alone.
  if (base.origin === stripeItself) throw new UsageError(notOurs);
  const response = await fetch(new URL(`/sandbox/${path}`, base), {
    method,
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new CountersignError('dependency_unavailable', `the provider at ${base.origin} does not answer`);
  });
  if (!response.headers.has('x-countersign-sandbox')) throw new UsageError(notOurs);
  const answered = (await response.json()) as { error?: { message?: string } };
  if (response.ok) return answered;
  const message = answered.error?.message ?? `HTTP ${response.status}`;
  if (response.status === 401)
    throw new CountersignError(
      'provider_authentication',
      'the sandbox provider does not accept the admin token: set COUNTERSIGN_SANDBOX_ADMIN_TOKEN',
    );
  if (response.status === 404) throw new CountersignError('not_found', message);
  throw new CountersignError('invalid_request', `the sandbox provider refuses: ${message}`);
}
