import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEncryptionKeys } from '../../src/adapters/temporal/encryptionKeys';
import { migrationNames } from '../../src/main/doctor/database';
import { claimPort } from '../../src/sandbox/embedded/freePort';
import { query } from '../support/database';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { runCli, type CliRun } from './runCli';

describe('countersign doctor', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const doctor = (env: Record<string, string>) => runCli(['doctor', '--json'], env);
  const statuses = ({ json }: CliRun) =>
    Object.fromEntries(json.checks.map(({ name, status }) => [name, status]));
  const check = ({ json }: CliRun, name: string) => json.checks.find((found) => found.name === name);
  const healthy = {
    node: 'ok',
    workflows: 'ok',
    settings: 'ok',
    embedded: 'not_set',
    encryption: 'not_set',
    database: 'ok',
    'database login': 'ok',
    migrations: 'ok',
    temporal: 'ok',
    namespace: 'ok',
    'search attributes': 'ok',
    workers: 'ok',
    provider: 'ok',
    api: 'not_set',
  };

  test('a worker that reaches everything is healthy without an API: exit code 0', async () => {
    const found = await doctor(stack.env);
    expect(statuses(found)).toEqual(healthy);
    expect([found.code, found.stderr, found.json.status]).toEqual([0, '', 'ok']);
    expect(check(found, 'provider')?.detail).toMatch(/SIMULATION/);
    expect(check(found, 'temporal')?.detail).toMatch(/^Temporal \d+\.\d+\.\d+ at /);
    expect(check(found, 'database')?.detail).toMatch(/^PostgreSQL \d+/);
    expect(found.stdout).not.toContain(new URL(stack.database.url).password);
    expect(found.stdout).not.toContain(stack.provider.key);
  });

  test('people read the same, with the API where one is named', async () => {
    const { code, stdout } = await runCli(['doctor'], { ...stack.env, COUNTERSIGN_API_URL: stack.apiUrl });
    expect([code, stdout]).toEqual([0, expect.stringContaining('Nothing is wrong.')]);
    expect(stdout).toMatch(/^ok +api +Countersign \d+\.\d+\.\d+ at http.*, ready$/m);
  });

  test('nothing is set: nothing is wrong', async () => {
    const found = await doctor({});
    expect([found.code, found.json.status]).toEqual([0, 'ok']);
    expect(statuses(found)).toMatchObject({ database: 'not_set', temporal: 'not_set', provider: 'not_set' });
  });

  test('R40: the encryption keys that are set are named by their ids and never shown; one that is none is wrong', async () => {
    const [newer, older] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
    const found = await doctor({ ...stack.env, COUNTERSIGN_ENCRYPTION_KEYS: `${newer},${older}` });
    expect([found.code, statuses(found)]).toEqual([0, { ...healthy, encryption: 'ok' }]);
    const [first, second] = parseEncryptionKeys(`${newer},${older}`).map(({ id }) => id);
    expect(check(found, 'encryption')?.detail).toBe(
      `payloads are encrypted under key ${first}, and these decrypt too: ${second}`,
    );
    for (const key of [newer, older]) expect(found.stdout).not.toContain(key);
    const short = await doctor({ COUNTERSIGN_ENCRYPTION_KEYS: `${newer},c2hvcnQ=` });
    expect([short.code, check(short, 'settings')?.detail]).toEqual([
      3,
      expect.stringMatching(/COUNTERSIGN_ENCRYPTION_KEYS[\s\S]*key 2 has 5 bytes/),
    ]);
    expect(short.stdout).not.toMatch(/c2hvcnQ=/);
    expect(short.stdout).not.toContain(newer);
  });

  test('what countersign up last wrote counts only while it runs', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
    const pids = { temporal: null, postgres: null, provider: null, api: null, workers: [] as number[] };
    const report = (running: Partial<typeof pids>) =>
      writeFileSync(
        join(dataDir, 'up.json'),
        JSON.stringify({
          apiUrl: stack.apiUrl,
          temporalAddress: stack.env['TEMPORAL_ADDRESS'],
          databaseUrl: stack.database.url,
          providerUrl: stack.provider.url,
          providerKey: stack.provider.key,
          pids: { ...pids, ...running },
          tokens: testTokens,
        }),
      );
    const env = {
      COUNTERSIGN_DATA_DIR: dataDir,
      TEMPORAL_NAMESPACE: stack.env['TEMPORAL_NAMESPACE'] ?? '',
    };
    report({});
    expect(statuses(await doctor(env))).toMatchObject({
      embedded: 'not_set',
      encryption: 'not_set',
      database: 'not_set',
      api: 'not_set',
    });
    report({ workers: stack.workers.map(({ pid }) => pid) });
    expect(statuses(await doctor(env))).toEqual({ ...healthy, embedded: 'ok', api: 'ok' });
    rmSync(dataDir, { recursive: true });
  });

  describe('each thing that is broken is named, with what to do: exit code 3', () => {
    const broken = async (env: Record<string, string>, name: string, detail: RegExp, fix: RegExp) => {
      const found = await doctor({ ...stack.env, ...env });
      expect([found.code, found.json.status]).toEqual([3, 'wrong']);
      expect(found.json.checks.filter(({ status }) => status === 'wrong')).toEqual([
        { name, status: 'wrong', detail: expect.stringMatching(detail), fix: expect.stringMatching(fix) },
      ]);
    };
    const nowhere = async () => `127.0.0.1:${await claimPort()}`;

    test('a database that is not there', async () =>
      broken(
        { DATABASE_URL: `postgres://u@${await nowhere()}/x` },
        'database',
        /ECONNREFUSED/,
        /DATABASE_URL/,
      ));

    test('a password that is wrong', async () => {
      const url = new URL(stack.database.url);
      url.password = 'wrong';
      await broken({ DATABASE_URL: url.href }, 'database', /password authentication failed/, /DATABASE_URL/);
    });

    test('R38: a login that is a superuser, and one that owns the tables', async () => {
      const login = 'database login';
      await broken({ DATABASE_URL: stack.database.adminUrl }, login, /bypasses row-level/, /countersign_app/);
      await broken({ DATABASE_URL: stack.database.ownerUrl }, login, /owns tables/, /countersign_app/);
    });

    test('a database without our schema', async () => {
      const url = new URL(stack.database.url);
      url.pathname = '/postgres';
      await broken({ DATABASE_URL: url.href }, 'migrations', /no schema/, /countersign migrate/);
    });

    test('a Temporal server that is not there', async () =>
      broken({ TEMPORAL_ADDRESS: await nowhere() }, 'temporal', /./, /TEMPORAL_ADDRESS/));

    test('a namespace that is not there', async () =>
      broken(
        { TEMPORAL_NAMESPACE: 'nobodys' },
        'namespace',
        /nobodys/,
        /namespace create --namespace nobodys/,
      ));

    test('search attributes that are not there', async () =>
      broken(
        { TEMPORAL_NAMESPACE: 'temporal-system' },
        'search attributes',
        /CountersignTenant/,
        /namespace\.sh/,
      ));

    test('a provider that is not there, and one that does not know the key', async () => {
      await broken({ STRIPE_API_BASE: `http://${await nowhere()}` }, 'provider', /./, /STRIPE_API_BASE/);
      await broken(
        { STRIPE_API_KEY: 'sk_test_unknown' },
        'provider',
        /does not know the key/,
        /STRIPE_API_KEY/,
      );
    });

    test('an API that is not there', async () =>
      broken(
        { COUNTERSIGN_API_URL: `http://${await nowhere()}` },
        'api',
        /ECONNREFUSED/,
        /COUNTERSIGN_API_URL/,
      ));

    test('a variable that is not of its form', async () => {
      const found = await doctor({ DATABASE_URL: 'here' });
      expect([found.code, check(found, 'settings')]).toEqual([
        3,
        expect.objectContaining({ status: 'wrong', detail: expect.stringContaining('DATABASE_URL') }),
      ]);
    });
  });

  test('a namespace in which no worker polls', async () => {
    const idle = await TestStack.start({ workers: 0 });
    try {
      const found = await doctor(idle.env);
      expect([found.code, check(found, 'workers')]).toEqual([
        3,
        expect.objectContaining({ status: 'wrong', fix: expect.stringContaining('countersign worker') }),
      ]);
    } finally {
      await idle.stop();
    }
  });

  test('the migrations that it looks for are those that migrate applies', async () => {
    const rows = await query<{ name: string }>(
      stack.database.adminUrl,
      'select name from kysely_migration order by name',
    );
    expect(migrationNames()).toEqual(rows.map(({ name }) => name));
  });
});
