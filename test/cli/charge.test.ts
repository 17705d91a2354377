import { TestProvider } from '../support/provider';
import { runCli } from './runCli';

describe('countersign sandbox charge', () => {
  let provider: TestProvider;
  beforeAll(async () => {
    provider = await TestProvider.start();
  });
  afterAll(() => provider.stop());

  const charge = (...args: string[]) =>
    runCli(['sandbox', 'charge', ...args], {
      STRIPE_API_BASE: provider.url,
      STRIPE_API_KEY: provider.key,
      COUNTERSIGN_SANDBOX_ADMIN_TOKEN: provider.adminToken,
    });

  test('makes a payment of exactly that amount, and says how to refund it', async () => {
    const people = await charge('--amount', '120.00', '--currency', 'USD', '--customer', 'cus_1');
    const id = /^(ch_\w+) {2}120\.00 USD\n/.exec(people.stdout)?.[1];
    expect(people.code).toBe(0);
    expect(people.stdout).toContain(
      `countersign refund start --payment ${id} --amount 120.00 --currency USD`,
    );
    expect(await provider.stripe.charges.retrieve(id!)).toMatchObject({
      amount: 12_000,
      currency: 'usd',
      captured: true,
      customer: 'cus_1',
    });
  });

  test('R10: shown as the reader writes numbers; what is copied and what is JSON stays plain', async () => {
    const env = {
      STRIPE_API_BASE: provider.url,
      STRIPE_API_KEY: provider.key,
      LANG: 'de_DE.UTF-8',
    };
    const args = ['sandbox', 'charge', '--amount', '1234.50', '--currency', 'EUR'];
    const people = await runCli(args, env);
    expect(people.stdout).toMatch(/^ch_\w+ {2}1\.234,50 EUR\n/);
    expect(people.stdout).toContain('--amount 1234.50 --currency EUR');
    expect((await runCli([...args, '--json'], env)).json['amount']).toBe(123_450);
  });

  test.each([
    ['5', 'JPY', 5],
    ['12.340', 'KWD', 12_340],
    ['7', 'ISK', 700],
  ])('R10: %s %s is %d of the units of the provider', async (amount, currency, units) => {
    const { json } = await charge('--amount', amount, '--currency', currency, '--json');
    expect(json['amount']).toBe(units);
  });

  test('one that is only authorized, and one of long ago', async () => {
    const authorized = await charge('--amount', '5', '--currency', 'USD', '--uncaptured');
    expect(authorized.stdout).toContain('not captured');
    const id = /^ch_\w+/.exec(authorized.stdout)![0];
    expect(await provider.stripe.charges.retrieve(id)).toMatchObject({ captured: false });

    const dated = await charge('--amount', '5', '--currency', 'USD', '--created', '2026-01-31', '--json');
    expect(dated.json['created']).toBe(Date.parse('2026-01-31') / 1_000);
    const aged = await charge('--amount', '5', '--currency', 'USD', '--created', '91d', '--json');
    const stored = await provider.stripe.charges.retrieve(aged.json.id);
    expect(stored.created).toBe(aged.json['created']);
    const fresh = await charge('--amount', '5', '--currency', 'USD', '--json');
    const days = ((fresh.json['created'] as number) - stored.created) / 86_400;
    expect(Math.floor(days)).toBe(91);
  });

  test.each([
    ['0', 'USD', 'amount_not_positive'],
    ['1.005', 'USD', 'amount_too_precise'],
    ['1e3', 'USD', 'amount_invalid'],
    ['5', 'XXX', 'currency_unknown'],
    ['1.001', 'KWD', 'amount_not_representable'],
  ])('%s %s is refused as %s, and nothing is made', async (amount, currency, code) => {
    const before = (await provider.stripe.charges.list({ limit: 100 })).data.length;
    const refused = await charge('--amount', amount, '--currency', currency, '--json');
    expect([refused.code, refused.problem.code]).toEqual([1, code]);
    expect((await provider.stripe.charges.list({ limit: 100 })).data).toHaveLength(before);
  });

  test('a key that the provider does not know', async () => {
    const env = { STRIPE_API_BASE: provider.url, STRIPE_API_KEY: 'sk_test_unknown' };
    const refused = await runCli(['sandbox', 'charge', '--amount', '5', '--currency', 'USD', '--json'], env);
    expect([refused.code, refused.problem.code]).toEqual([3, 'provider_authentication']);
  });
});
