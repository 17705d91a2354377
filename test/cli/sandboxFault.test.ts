import Stripe from 'stripe';
import { faultKinds } from '../../src/sandbox/provider/faultKinds';
import { claimPort } from '../../src/sandbox/embedded/freePort';
import { TestProvider } from '../support/provider';
import { runCli, type CliRun } from './runCli';

let provider: TestProvider;
beforeAll(async () => {
  provider = await TestProvider.start();
});
afterEach(() => provider.admin('DELETE', 'faults'));
afterAll(() => provider.stop());

const sandbox = (args: string[], env: Record<string, string> = {}): Promise<CliRun> =>
  runCli(['sandbox', ...args], {
    STRIPE_API_BASE: provider.url,
    STRIPE_API_KEY: provider.key,
    COUNTERSIGN_SANDBOX_ADMIN_TOKEN: provider.adminToken,
    ...env,
  });

describe('countersign sandbox fault', () => {
  test('R12: an answer that is lost after the refund was made, for the calls that it names', async () => {
    const charge = await provider.charge(5_000);
    // The client sends once more by itself: both are to be cut.
    const calls = ['--method', 'POST', '--path', '/v1/refunds', '--payment', charge];
    const added = await sandbox(['fault', 'add', 'cut_after_commit', '--times', '2', ...calls]);
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect(added.stdout).toMatch(
      /^fault (\d+): cut_after_commit on the next 2 of POST \/v1\/refunds, payment ch_\w+\n\nTake it back: countersign sandbox fault clear \1\n$/,
    );
    await expect(
      provider.stripe.refunds.create({ charge, amount: 700 }, { idempotencyKey: 'cli-1' }),
    ).rejects.toThrow(Stripe.errors.StripeConnectionError);
    expect(await provider.refunds(charge)).toHaveLength(1);

    const log = await sandbox(['log', '--idempotency-key', 'cli-1']);
    expect(log.stdout.split('\n')[0]).toBe(
      '2 requests: 1 succeeded, 1 replayed, 0 refused, 2 cut without an answer; 1 idempotency keys',
    );
    expect(log.stdout).toMatch(/POST \/v1\/refunds\s+200, cut\s+cut_after_commit\s+cli-1\s+ch_/);
    expect(log.stdout).toMatch(/200 replayed, cut/);
    const machine = (await sandbox(['log', '--payment', charge, '--method', 'POST', '--json'])).json;
    expect(machine).toMatchObject({
      counts: { total: 2, cut: 2, keys: 1 },
      items: [{ parameters: { charge, amount: '700' } }, { replayed: true }],
    });
  });

  test('by chance with a seed, listed with its hits, and taken back one by one or all', async () => {
    const args = ['fault', 'add', 'status_429', '--probability', '0.5', '--seed', 'monday', '--json'];
    const first = await sandbox([...args, '--retry-after-seconds', '7', '--method', 'GET']);
    expect(first.json).toMatchObject({
      ...{ kind: 'status_429', probability: 0.5, seed: 'monday', times: null, retryAfterSeconds: 7 },
      match: { method: 'GET', path: null },
    });
    const never = await sandbox([
      'fault',
      'add',
      'webhook_never',
      '--event',
      'refund.*',
      '--times',
      'always',
    ]);
    expect([never.code, never.stderr]).toEqual([0, '']);
    let hits = 0;
    for (let n = 0; n < 8; n += 1)
      await provider.stripe.refunds.list().catch((error: unknown) => {
        expect(error).toMatchObject({ statusCode: 429 });
        hits += 1;
      });
    const list = await sandbox(['fault', 'list']);
    expect(list.stdout).toMatch(
      new RegExp(`status_429\\s+GET\\s+no limit\\s+0\\.5\\s+monday\\s+${hits} of 8\\s+Retry-After 7`),
    );
    expect(list.stdout).toMatch(/webhook_never\s+event refund\.\*\s+no limit/);
    const cleared = await sandbox(['fault', 'clear', String(first.json.id)]);
    expect(cleared.stdout).toBe('cleared: 1\n');
    expect((await sandbox(['fault', 'clear', '--json'])).json).toEqual({ cleared: 1 });
    expect((await sandbox(['fault', 'list'])).stdout).toBe('No faults: the sandbox provider behaves.\n');
  });

  test('every kind that the provider knows can be asked for, with what it needs', async () => {
    for (const kind of faultKinds) {
      const needs = ['latency', 'webhook_delay'].includes(kind) ? ['--ms', '1'] : [];
      expect([kind, (await sandbox(['fault', 'add', kind, ...needs, '--json'])).json['kind']]).toEqual([
        kind,
        kind,
      ]);
    }
    const { items } = (await provider.admin('GET', 'faults')) as { items: { kind: string }[] };
    expect(items.map(({ kind }) => kind)).toEqual([...faultKinds]);
  });

  test.each([
    [['add', 'latency'], 'latency needs ms'],
    [['add', 'cut_before', '--ms', '5'], 'cut_before takes no ms'],
    [['add', 'cut_before', '--event', 'refund.*'], 'is about a call, which has no event'],
    [['add', 'webhook_never', '--method', 'POST'], 'is about an event, which has no method'],
    [['add', 'cut_before', '--path', 'v1/refunds'], '/'],
  ])('%j could never hit: refused, and nothing is set', async (args, says) => {
    const refused = await sandbox(['fault', ...args, '--json']);
    expect([refused.code, refused.problem.code, refused.problem.detail]).toEqual([
      1,
      'invalid_request',
      expect.stringContaining(says),
    ]);
    expect(await provider.admin('GET', 'faults')).toEqual({ items: [] });
  });

  test('a fault that is not there', async () => {
    const refused = await sandbox(['fault', 'clear', '999999', '--json']);
    expect([refused.code, refused.problem.code]).toEqual([1, 'not_found']);
  });

  test.each([
    [['fault', 'add', 'set_on_fire'], {}, /set_on_fire.*cut_after_commit/],
    [['fault', 'add', 'cut_before', '--probability', '1.5'], {}, /from 0 to 1/],
    [['fault', 'add', 'cut_before', '--times', 'often'], {}, /whole number/],
    [['fault', 'list'], { STRIPE_API_KEY: 'sk_live_1' }, /live key/],
    [['log'], { STRIPE_API_BASE: 'https://api.stripe.com' }, /not the sandbox provider/],
    [['log', '--limit', 'all'], {}, /whole number/],
  ])('%j with %j is wrong usage: exit code 2', async (args, env, says) => {
    const { code, stdout, stderr } = await sandbox(args, env);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(says)]);
  });

  test('where nobody listens, and with a token that is not accepted: exit code 3, and what to do', async () => {
    const nobody = await sandbox(['log'], { STRIPE_API_BASE: `http://127.0.0.1:${await claimPort()}` });
    expect([nobody.code, nobody.stderr]).toEqual([3, expect.stringContaining('countersign doctor')]);
    const stranger = await sandbox(['log'], { COUNTERSIGN_SANDBOX_ADMIN_TOKEN: 'of-somebody-else' });
    expect([stranger.code, stranger.stderr]).toEqual([
      3,
      expect.stringContaining('COUNTERSIGN_SANDBOX_ADMIN_TOKEN'),
    ]);
  });
});
