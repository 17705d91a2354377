import { StripePayments } from '../../../src/adapters/payments/stripe';
import { wantedEvents } from '../../../src/adapters/payments/stripeWebhooks';
import { makeCharge } from '../../../src/cli/sandboxCharge';
import { refundReasons } from '../../../src/domain/refund/request';
import { readSettings } from '../../../src/main/settings';
import { TestProvider } from '../../support/provider';
import { parameters, problemsOf, type Schema } from './publishedApi';

/** A form knows only texts: gives each the type that the schema asks for, where it has the look of it. */
function typed(schema: Schema, value: unknown): unknown {
  if (typeof value === 'string') {
    if (schema.type === 'integer' && /^-?\d+$/.test(value)) return Number(value);
    if (schema.type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true';
    if (schema.anyOf) {
      const fits = schema.anyOf.map((one) => [one, typed(one, value)] as const);
      return fits.find(([one, as]) => problemsOf(one, as).length === 0)?.[1] ?? value;
    }
    return value;
  }
  if (Array.isArray(value)) return value.map((item) => typed(schema.items ?? {}, item));
  return Object.fromEntries(
    Object.entries(value as Record<string, unknown>).map(([name, member]) => [
      name,
      typed(schema.properties?.[name] ?? {}, member),
    ]),
  );
}

interface Logged {
  readonly method: string;
  readonly path: string;
  readonly parameters: Record<string, unknown>;
}

/** `GET /v1/refunds/re_1` is `GET /v1/refunds/{refund}`. */
function endpointOf({ method, path }: Logged): string | undefined {
  return Object.keys(parameters).find((endpoint) =>
    new RegExp(`^${endpoint.replace(/\{\w+\}/, '[a-z]+_\\w+')}$`).test(`${method} ${path}`),
  );
}

function requestProblems(logged: Logged): string[] {
  const endpoint = endpointOf(logged);
  const schema = endpoint === undefined ? undefined : parameters[endpoint];
  if (!schema) return [`no such endpoint: ${logged.method} ${logged.path}`];
  return problemsOf(schema, typed(schema, logged.parameters));
}

let provider: TestProvider;
let payments: StripePayments;
beforeAll(async () => {
  provider = await TestProvider.start();
  payments = new StripePayments({ apiKey: provider.key, apiBase: provider.url, account: 'main' });
});
afterAll(() => provider.stop());

const logOf = async () => ((await provider.admin('GET', 'requests?limit=1000')) as { items: Logged[] }).items;

describe('what the SDK really sends for our calls, by the published API of the provider', () => {
  test('every call of ours is an endpoint there, and every parameter is one of its own', async () => {
    const settings = readSettings({ STRIPE_API_BASE: provider.url, STRIPE_API_KEY: provider.key });
    const { charge } = await makeCharge(settings, { amount: '50', currency: 'USD', customer: 'cus_1' });
    await makeCharge(settings, { amount: '50', currency: 'USD', uncaptured: true });
    const { payment_intent: intent } = await provider.stripe.charges.retrieve(charge.id);
    for (const [n, reason] of refundReasons.entries()) {
      const runId = `run_${n}`;
      const key = `${runId}:issue_refund`;
      const amount = { minor: 100, currency: 'USD' };
      const made = await payments.issueRefund({ key, runId, paymentId: charge.id, amount, reason });
      await payments.getRefund(made.id);
      await payments.findRefund(charge.id, key);
    }
    await provider.admin('POST', 'disputes', { charge: charge.id, amount: 100 });
    await payments.loadPayment(intent as string, 10_000);
    const url = await provider.sendEventsTo('http://127.0.0.1:1/v1/webhooks/stripe');
    expect(url).toMatch(/^whsec_/);
    const [endpoint] = (await provider.stripe.webhookEndpoints.list()).data;
    await provider.stripe.webhookEndpoints.update(endpoint?.id ?? '', {
      url: 'http://127.0.0.1:2/v1/webhooks/stripe',
      enabled_events: [...wantedEvents],
    });

    const ours = (await logOf()).filter(
      ({ path, method }) => method !== 'GET' || path !== '/v1/webhook_endpoints',
    );
    expect(ours.map((logged) => [logged.method, logged.path, requestProblems(logged)])).toEqual(
      ours.map(({ method, path }) => [method, path, []]),
    );
    // All that we call was called, so nothing was left out of the comparison.
    expect([...new Set(ours.map(endpointOf))].sort()).toEqual(
      Object.keys(parameters)
        .filter((name) => name !== 'GET /v1/events/{id}')
        .sort(),
    );
  });

  test.each<[string, Logged]>([
    [
      'a parameter that there is none of',
      { method: 'POST', path: '/v1/refunds', parameters: { payment: 'ch_1' } },
    ],
    ['a reason of ours', { method: 'POST', path: '/v1/refunds', parameters: { reason: 'damaged' } }],
    ['an amount in major units', { method: 'POST', path: '/v1/refunds', parameters: { amount: '1.00' } }],
    ['an endpoint that there is none of', { method: 'GET', path: '/v1/refunds/search', parameters: {} }],
    [
      'a refund looked for by metadata',
      { method: 'GET', path: '/v1/refunds', parameters: { metadata: { a: 'b' } } },
    ],
    [
      'an event that there is none of',
      {
        method: 'POST',
        path: '/v1/webhook_endpoints',
        parameters: { url: 'http://a', enabled_events: ['refund.paid'] },
      },
    ],
  ])('control: %s would be found', (_what, logged) => {
    expect(requestProblems(logged)).not.toEqual([]);
  });
});
