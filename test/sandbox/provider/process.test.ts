import Stripe from 'stripe';
import { claimPort } from '../../../src/sandbox/embedded/freePort';
import { createProviderDatabase, type TestDatabase } from '../../support/database';
import { answers, startProcess, until, type TestProcess } from '../../support/processes';

/** `countersign sandbox` as it is run: a process of its own with a database of its own. */
let database: TestDatabase;
let running: TestProcess;
let url: string;
let stripe: Stripe;
beforeAll(async () => {
  database = await createProviderDatabase();
  const port = await claimPort();
  url = `http://127.0.0.1:${port}`;
  const env = {
    DATABASE_URL: database.url,
    COUNTERSIGN_HTTP_PORT: String(port),
    STRIPE_API_KEY: 'sk_test_of_this_process',
    COUNTERSIGN_SANDBOX_KEY_EXPIRY_SECONDS: '2',
  };
  running = await startProcess(['sandbox'], env, () => answers(`${url}/healthz`));
  stripe = new Stripe('sk_test_of_this_process', {
    host: '127.0.0.1',
    port,
    protocol: 'http',
    telemetry: false,
  });
});
afterAll(async () => {
  await running.kill();
  await database.drop();
});

test('it says that it is a simulation, on its front page and in every answer', async () => {
  const front = await fetch(url);
  expect(await front.text()).toMatch(/This is a simulation: it moves no money/);
  for (const path of ['/', '/healthz', '/v1/charges', '/nowhere', '/sandbox/faults'])
    expect([path, (await fetch(url + path)).headers.get('x-countersign-sandbox')]).toEqual([
      path,
      'simulation',
    ]);
});

test('R5: it forgets idempotency keys after the time that it was told, and then pays again', async () => {
  const { id: charge } = await stripe.charges.create({ amount: 90_000, currency: 'usd', source: 'tok_visa' });
  const refund = () =>
    stripe.refunds.create({ charge, amount: 100 }, { idempotencyKey: 'run_1:issue_refund' });
  const { id: first } = await refund();
  await until(async () => (await refund()).id !== first);
  expect((await stripe.refunds.list({ charge })).data).toHaveLength(2);
});
