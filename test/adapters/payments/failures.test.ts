import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { failureTable } from '../../../src/adapters/payments/failureTable';
import { StripePayments } from '../../../src/adapters/payments/stripe';
import { CountersignError, errorCatalogue, type ErrorCode } from '../../../src/domain/errors';
import type { IssueRefund } from '../../../src/ports/payments';
import { claimPort } from '../../../src/sandbox/embedded/freePort';
import { TestProvider } from '../../support/provider';

let provider: TestProvider;
let payments: StripePayments;
beforeAll(async () => {
  provider = await TestProvider.start();
  payments = adapter();
});
afterAll(() => provider.stop());
afterEach(() => provider.admin('DELETE', 'faults'));

const adapter = (more: Partial<ConstructorParameters<typeof StripePayments>[0]> = {}) =>
  new StripePayments({ apiKey: provider.key, apiBase: provider.url, account: 'default', ...more });

let keys = 0;
function refundOf(paymentId: string, minor = 1_000, more: Partial<IssueRefund> = {}): IssueRefund {
  keys += 1;
  return {
    key: `run_${keys}:issue_refund`,
    runId: `run_${keys}`,
    paymentId,
    amount: { minor, currency: 'USD' },
    reason: 'damaged',
    ...more,
  };
}

async function failureOf(call: Promise<unknown>): Promise<CountersignError> {
  const error = await call.then(
    (value) => new Error(`expected a failure, got ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof CountersignError) return error;
  throw error;
}

/** Causes that were produced for real; the last test holds them against the table. */
const produced = new Set<string>();

async function expectCause(
  call: Promise<unknown>,
  code: ErrorCode,
  cause: string,
): Promise<CountersignError> {
  const failure = await failureOf(call);
  expect({ code: failure.code, cause: failure.detail }).toEqual({ code, cause });
  produced.add(cause);
  return failure;
}

const unanswered = 'no answer: connection refused, dropped or timed out';

describe('what goes wrong at the provider', () => {
  test('R12: a connection cut before the call, or after it was carried out, is unknown', async () => {
    const charge = await provider.charge(5_000);
    for (const kind of ['cut_before', 'cut_after_commit']) {
      await provider.admin('POST', 'faults', { kind, match: { method: 'POST' } });
      const failure = await expectCause(
        payments.issueRefund(refundOf(charge)),
        'provider_unknown',
        unanswered,
      );
      expect(failure.retry).toBe('look_up');
    }
    expect(await provider.refunds(charge)).toHaveLength(1);
  });

  test('R14: a refund whose connection broke is sent once: the SDK never sends it again by itself', async () => {
    const charge = await provider.charge(5_000);
    const refund = refundOf(charge);
    await provider.admin('POST', 'faults', { kind: 'cut_after_commit', match: { method: 'POST' } });
    await expectCause(payments.issueRefund(refund), 'provider_unknown', unanswered);
    const sent = await provider.admin('GET', `requests?idempotency_key=${refund.key}`);
    expect(sent).toMatchObject({ counts: { total: 1, cut: 1 } });
    expect(await provider.refunds(charge)).toHaveLength(1);
  });

  test('R12: a timeout is unknown, never failed, and the same key then gives the refund that was made', async () => {
    const charge = await provider.charge(5_000);
    const refund = refundOf(charge);
    await provider.admin('POST', 'faults', { kind: 'latency', ms: 2_000, match: { method: 'POST' } });
    const impatient = adapter({ timeoutMs: 150 });
    await expectCause(impatient.issueRefund(refund), 'provider_unknown', unanswered);
    const again = await payments.issueRefund(refund).catch(failureOfInFlight);
    const made = again ?? (await untilMade(refund));
    expect((await provider.refunds(charge)).map((r) => r.id)).toEqual([made.id]);
  });

  test('R12: a provider that is not there, and one that talks nonsense, are unknown', async () => {
    const nobody = adapter({ apiBase: `http://127.0.0.1:${await claimPort()}` });
    await expectCause(nobody.issueRefund(refundOf('ch_1')), 'provider_unknown', unanswered);
    const server = createServer((_request, response) => response.end('<html>it works</html>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      await expectCause(
        adapter({ apiBase: `http://127.0.0.1:${port}` }).issueRefund(refundOf('ch_1')),
        'provider_unknown',
        'no answer that could be read',
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('R14: the same key in flight, too many calls, and an error of the provider itself', async () => {
    const charge = await provider.charge(5_000);
    const fault = (kind: string, more = {}) =>
      provider.admin('POST', 'faults', { kind, match: { method: 'POST' }, ...more });
    await fault('in_flight_409');
    await expectCause(
      payments.issueRefund(refundOf(charge)),
      'provider_in_flight',
      '409: another call with this key is in flight',
    );
    await fault('status_429', { retryAfterSeconds: 7 });
    const limited = await expectCause(
      payments.issueRefund(refundOf(charge)),
      'provider_rate_limited',
      '429: too many requests',
    );
    expect(limited.details['retryAfterMs']).toBe(7_000);
    await fault('status_429', { code: 'lock_timeout' });
    const locked = await failureOf(payments.issueRefund(refundOf(charge)));
    expect([locked.code, locked.details['retryAfterMs']]).toEqual(['provider_rate_limited', undefined]);
    await fault('status_500');
    await expectCause(
      payments.issueRefund(refundOf(charge)),
      'provider_error',
      '5xx: an error of the provider itself, replayed for this key',
    );
    expect(await provider.refunds(charge)).toEqual([]);
  });

  test('R14: a key that was used with other parameters, and a key that the provider does not accept', async () => {
    const charge = await provider.charge(5_000);
    const refund = refundOf(charge);
    await payments.issueRefund(refund);
    await expectCause(
      payments.issueRefund({ ...refund, amount: { minor: 999, currency: 'USD' } }),
      'provider_key_reused',
      'the key was used with other parameters',
    );
    await expectCause(
      adapter({ apiKey: 'sk_test_of_nobody' }).issueRefund(refundOf(charge)),
      'provider_authentication',
      '401 or 403: credentials',
    );
    expect(await provider.refunds(charge)).toHaveLength(1);
  });

  test('R15: refunded already, no such payment, disputed, and any other refusal', async () => {
    const spent = await provider.charge(5_000);
    await provider.stripe.refunds.create({ charge: spent });
    await expectCause(
      payments.issueRefund(refundOf(spent)),
      'provider_already_refunded',
      'the payment is refunded already',
    );
    await expectCause(payments.issueRefund(refundOf('ch_nothing')), 'payment_unknown', 'no such payment');
    const disputed = await provider.charge(5_000);
    await provider.admin('POST', 'disputes', { charge: disputed });
    await expectCause(
      payments.issueRefund(refundOf(disputed)),
      'payment_disputed',
      'the payment is disputed',
    );
    const unfunded = await provider.charge(5_000);
    await provider.admin('POST', 'faults', { kind: 'insufficient_balance', match: { payment: unfunded } });
    await expectCause(
      payments.issueRefund(refundOf(unfunded)),
      'provider_refused',
      "the account's balance does not cover the refund",
    );
    const refused = await expectCause(
      payments.issueRefund(refundOf(await provider.charge(500))),
      'provider_refused',
      'any other refusal',
    );
    expect(refused.details['providerRequestId']).toMatch(/^req_/);
  });

  test('R14: every cause in the table was produced, and each has a retry decision', () => {
    expect([...produced].sort()).toEqual(failureTable.map((row) => row.cause).sort());
    for (const { code } of failureTable) expect(errorCatalogue[code].retry).toEqual(expect.any(String));
  });

  test('R39: no failure repeats what the provider said, which may quote parameters', async () => {
    const failure = await failureOf(payments.issueRefund(refundOf('ch_4242424242424242')));
    expect(JSON.stringify([failure.message, failure.details])).not.toContain('4242');
  });
});

/** The first call is being carried out still: its key is in flight. */
function failureOfInFlight(error: unknown): undefined {
  expect(error).toMatchObject({ code: 'provider_in_flight' });
}

async function untilMade(refund: IssueRefund) {
  for (;;) {
    try {
      return await payments.issueRefund(refund);
    } catch (error) {
      failureOfInFlight(error);
    }
  }
}
