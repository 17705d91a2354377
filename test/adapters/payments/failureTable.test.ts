import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import Stripe from 'stripe';
import { failureOf, failureTable, ownRefusals } from '../../../src/adapters/payments/failureTable';
import { StripePayments } from '../../../src/adapters/payments/stripe';
import type { CountersignError } from '../../../src/domain/errors';
import { errorCatalogue } from '../../../src/domain/errors';
import { packageRoot } from '../../../src/main/version';
import { providerFailuresFile, providerFailuresText } from '../../../src/main/writeProviderFailures';

type RawError = ConstructorParameters<typeof Stripe.errors.StripeError>[0];
type ErrorClass = new (raw: RawError) => Stripe.errors.StripeError;

/** Every class of error that the installed SDK has. */
const classes = Object.entries(Stripe.errors).filter(
  (entry): entry is [string, ErrorClass & (typeof entry)[1]] =>
    typeof entry[1] === 'function' && entry[1].prototype instanceof Error,
);

const rows = new Map(failureTable.map(({ cause, code }) => [cause, code]));
const rowOf = ({ code, detail }: CountersignError): [string, string | undefined] => [code, rows.get(detail)];

describe('the table of what goes wrong at the provider', () => {
  test('R14: every class of error of the SDK, with any status and code, leaves as a row of the table', () => {
    expect(classes.length).toBeGreaterThan(30);
    const codes = [
      'charge_already_refunded',
      'resource_missing',
      'charge_disputed',
      'rate_limit',
      'lock_timeout',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...classes),
        fc.option(
          fc.oneof(
            fc.integer({ min: 300, max: 599 }),
            fc.constantFrom(400, 401, 402, 403, 404, 409, 429, 500),
          ),
          {
            nil: undefined,
          },
        ),
        fc.option(fc.oneof(fc.constantFrom(...codes), fc.string({ maxLength: 30 })), { nil: undefined }),
        ([, of], statusCode, code) => {
          const raw = { message: 'said by the provider', type: 'api_error', statusCode, code } as RawError;
          const failure = failureOf(new of(raw));
          const [type, known] = rowOf(failure);
          expect(known).toBe(type);
          expect(failure.message).not.toContain('said by');
          // Without a status, and for any that isn't a plain refusal, nothing is known: never failed (R12).
          const certain = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
          if (!certain) expect(failure.retry).not.toBe('fail');
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test.each([new TypeError('x'), 'a string', undefined, null, new SyntaxError('Unexpected token')])(
    'R14: so does what is no error of the SDK at all: %p',
    (thrown) => {
      const failure = failureOf(thrown);
      expect([failure.code, rows.get(failure.detail), failure.retry]).toEqual([
        'provider_unknown',
        'provider_unknown',
        'look_up',
      ]);
    },
  );

  test('R14: every refusal that the adapter writes itself is a row too, and each row has a decision', () => {
    const folder = 'src/adapters/payments';
    const files = [
      ...readdirSync(join(packageRoot, folder)).map((file) => join(folder, file)),
      // What the adapter counts amounts with.
      'src/domain/money/providerAmounts.ts',
      'src/domain/money/money.ts',
    ];
    const known = new Set<string>([...failureTable, ...ownRefusals].map(({ code }) => code));
    // Of money.ts only what reading and sending an amount comes to; sums are not made here.
    const sums = ['amount_too_large', 'currency_mismatch', 'amount_not_positive'];
    const written = files.flatMap((file) =>
      [...readFileSync(join(packageRoot, file), 'utf8').matchAll(/new CountersignError\(\s*'(\w+)'/g)].map(
        ([, code = '']) => code,
      ),
    );
    expect(written.length).toBeGreaterThan(5);
    expect(written.filter((code) => !known.has(code) && !sums.includes(code))).toEqual([]);
    for (const { code } of ownRefusals) expect(written).toContain(code);
    for (const code of known) expect(Object.keys(errorCatalogue)).toContain(code);
  });

  test('R14: docs/provider-failures.md is made of this table; after a change: npm run failures', () => {
    expect(readFileSync(providerFailuresFile, 'utf8')).toBe(providerFailuresText());
  });
});

describe('an answer that makes no sense', () => {
  test.each([
    ['another currency than there is', { amount: 700, currency: 'xxx' }],
    ['a fraction of a cent', { amount: 7.5, currency: 'usd' }],
    ['no currency', { amount: 700 }],
    ['nothing', {}],
  ])('R12: a refund with %s was made all the same: unknown, never failed', async (_what, answer) => {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ id: 're_1', object: 'refund', charge: 'ch_1', status: 'succeeded', ...answer }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const payments = new StripePayments({
        apiKey: 'sk_test_1',
        apiBase: `http://127.0.0.1:${port}`,
        account: 'main',
      });
      const issued = payments.issueRefund({
        key: 'run_1:issue_refund',
        runId: 'run_1',
        paymentId: 'ch_1',
        amount: { minor: 700, currency: 'USD' },
        reason: 'damaged',
      });
      await expect(issued).rejects.toMatchObject({ code: 'provider_unknown', retry: 'look_up' });
      await expect(payments.getRefund('re_1')).rejects.toMatchObject({ code: 'provider_unknown' });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
