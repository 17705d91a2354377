import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { claimPort } from '../../src/sandbox/embedded/freePort';
import { packageRoot, version } from '../../src/main/version';
import { runCli } from './runCli';

describe('countersign, as it is called', () => {
  test('npx countersign works in a checkout', async () => {
    const { stdout } = await promisify(execFile)('npx', ['countersign', '--version'], {
      cwd: packageRoot,
      // What is not in the checkout is not fetched instead.
      env: { ...process.env, npm_config_offline: 'true' },
    });
    expect(stdout.trim()).toBe(version);
  });

  test('--help lists every command', async () => {
    const { code, stdout } = await runCli(['--help']);
    const listed = [...stdout.matchAll(/^ {2}([a-z]+)\b/gm)].map((match) => match[1]);
    expect(code).toBe(0);
    expect(listed).toEqual(
      expect.arrayContaining([
        ...['up', 'worker', 'api', 'migrate', 'sandbox', 'refund', 'approvals', 'doctor'],
        ...['reconcile', 'payment', 'policy', 'thread'],
      ]),
    );
  });

  const somewhere = { COUNTERSIGN_API_URL: 'http://127.0.0.1:1', COUNTERSIGN_TOKEN: 'token' };
  test.each<[string, string[], Record<string, string>, RegExp]>([
    ['an unknown command', ['refnd'], {}, /unknown command 'refnd'\n\(Did you mean refund\?\)/],
    [
      'a command of another group',
      ['refund', 'approve'],
      somewhere,
      /unknown command 'approve'\n\(There is: countersign approvals approve, /,
    ],
    [
      'an unknown option',
      ['refund', 'list', '--phse'],
      somewhere,
      /unknown option '--phse'\n\(Did you mean --phase\?\)/,
    ],
    ['an option that is missing', ['refund', 'start', '--amount', '5'], somewhere, /--payment/],
    ['an argument that is missing', ['refund', 'show'], somewhere, /runId/],
    ['one argument too many', ['refund', 'show', 'a', 'b'], somewhere, /too many arguments/],
    ['a page size that is none', ['refund', 'list', '--limit', '0'], somewhere, /from 1 to 200/],
    ['two identities at once', ['refund', 'list', '--as', 'acme/lead', '--token', 't'], somewhere, /--token/],
    ['no API', ['refund', 'list'], { COUNTERSIGN_TOKEN: 'token' }, /COUNTERSIGN_API_URL.*countersign up/],
    ['no token', ['refund', 'list'], { COUNTERSIGN_API_URL: 'http://127.0.0.1:1' }, /COUNTERSIGN_TOKEN/],
    ['an address that is none', ['refund', 'list', '--api-url', 'here'], somewhere, /here is not a URL/],
    [
      'a variable that is not of its form',
      ['refund', 'list'],
      { COUNTERSIGN_API_URL: 'here' },
      /COUNTERSIGN_API_URL/,
    ],
    ['--as where nothing ever ran', ['refund', 'list', '--as', 'acme/lead'], {}, /countersign up/],
    [
      'a date that is none',
      ['sandbox', 'charge', '--amount', '5', '--currency', 'USD', '--created', 'now'],
      { STRIPE_API_KEY: 'sk_test_1', STRIPE_API_BASE: 'http://127.0.0.1:1' },
      /--created/,
    ],
    [
      'a payment at a live account',
      ['sandbox', 'charge', '--amount', '5', '--currency', 'USD'],
      { STRIPE_API_KEY: 'sk_live_1' },
      /live key/,
    ],
    [
      'a payment nowhere',
      ['sandbox', 'charge', '--amount', '5', '--currency', 'USD'],
      {},
      /STRIPE_API_KEY.*countersign up/,
    ],
  ])(
    '%s is wrong usage: exit code 2, said as a sentence and as a problem',
    async (_what, args, env, says) => {
      const people = await runCli(args, env);
      expect([people.code, people.stdout]).toEqual([2, '']);
      expect(people.stderr).toMatch(says);
      const machine = await runCli([...args, '--json'], env);
      expect([machine.code, machine.stdout]).toEqual([2, '']);
      expect(machine.problem).toMatchObject({
        type: 'urn:countersign:error:invalid_request',
        code: 'invalid_request',
        detail: expect.stringMatching(says),
      });
    },
  );

  test('a group without a command shows what there is: exit code 2', async () => {
    const { code, stderr } = await runCli(['approvals']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('edit [options] <id>')]);
  });

  describe('where nobody listens', () => {
    const env = async () => ({
      COUNTERSIGN_API_URL: `http://127.0.0.1:${await claimPort()}`,
      COUNTERSIGN_TOKEN: 'token',
      STRIPE_API_BASE: `http://127.0.0.1:${await claimPort()}`,
      STRIPE_API_KEY: 'sk_test_1',
    });

    test('exit code 3, and what to do', async () => {
      const given = await env();
      const list = await runCli(['refund', 'list'], given);
      expect([list.code, list.stdout]).toEqual([3, '']);
      expect(list.stderr).toContain(`${given.COUNTERSIGN_API_URL} does not answer (ECONNREFUSED)`);
      expect(list.stderr).toMatch(/start everything with countersign up, .*countersign doctor/);
      const charge = await runCli(
        ['sandbox', 'charge', '--amount', '5', '--currency', 'USD', '--json'],
        given,
      );
      expect([charge.code, charge.problem.code]).toEqual([3, 'dependency_unavailable']);
    });

    test('R3: a start that got no answer tells the key that it was sent under', async () => {
      const args = [
        'refund',
        'start',
        '--payment',
        'ch_1',
        '--amount',
        '5',
        '--currency',
        'USD',
        '--reason',
        'damaged',
      ];
      const given = await env();
      const made = await runCli(args, given);
      expect([made.code, made.stderr]).toEqual([
        3,
        expect.stringMatching(/--idempotency-key cli-[0-9a-f-]{36}/),
      ]);
      const named = await runCli([...args, '--idempotency-key', 'mine', '--json'], given);
      expect(named.problem).toMatchObject({ code: 'dependency_unavailable', idempotencyKey: 'mine' });
    });
  });

  describe('where countersign up has run', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
    const people = { service: 'cs_acme_service', reviewer1: 'cs_acme_reviewer1' };
    const gone = { temporal: null, postgres: null, provider: null, api: null, workers: [] };
    beforeAll(async () => {
      const report = {
        apiUrl: `http://127.0.0.1:${await claimPort()}`,
        temporalAddress: '127.0.0.1:7',
        databaseUrl: 'postgresql://127.0.0.1:7/none',
        providerUrl: 'http://127.0.0.1:7',
        providerKey: 'sk_test_1',
        pids: gone,
        tokens: { acme: people },
      };
      writeFileSync(join(dataDir, 'up.json'), JSON.stringify(report));
    });
    afterAll(() => rmSync(dataDir, { recursive: true }));

    test('nobody acts by default: it has to be said who, and who there is', async () => {
      const { code, stderr } = await runCli(['approvals', 'approve', 'apr_1'], {
        COUNTERSIGN_DATA_DIR: dataDir,
      });
      expect([code, stderr]).toEqual([2, expect.stringMatching(/--as acme\/service \(or acme\/reviewer1\)/)]);
    });

    test.each(['acme/nobody', 'initech/service', 'acme', 'acme/constructor', '__proto__/service'])(
      '--as %s is refused with who there is',
      async (as) => {
        const { code, stderr } = await runCli(['refund', 'list', '--as', as], {
          COUNTERSIGN_DATA_DIR: dataDir,
        });
        expect([code, stderr]).toEqual([2, expect.stringContaining('one of acme/service, acme/reviewer1')]);
      },
    );

    test('a token of the embedded set-up goes to no other API that the environment names', async () => {
      const elsewhere = { COUNTERSIGN_DATA_DIR: dataDir, COUNTERSIGN_API_URL: 'http://127.0.0.1:9999' };
      const { code, stderr } = await runCli(['refund', 'list', '--as', 'acme/service'], elsewhere);
      expect([code, stderr]).toEqual([3, expect.not.stringContaining('9999')]);
    });
  });
});
