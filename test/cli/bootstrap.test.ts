import { query } from '../support/database';
import { TestStack } from '../support/stack';
import { runCli, type CliRun } from './runCli';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

/** As the owner of the database, without an API. */
const asOwner = (...args: string[]) =>
  runCli(['admin', ...args], { COUNTERSIGN_MIGRATION_DATABASE_URL: stack.database.ownerUrl });

const holding =
  (token: string) =>
  (...args: string[]) =>
    runCli(args, { COUNTERSIGN_API_URL: stack.apiUrl, COUNTERSIGN_TOKEN: token });

interface Minted {
  readonly token: string;
  readonly key: { readonly id: string; readonly state: string };
}
const minted = (run: CliRun): Minted => {
  expect([run.code, run.stderr]).toEqual([0, '']);
  return run.json as unknown as Minted;
};

describe('a first install', () => {
  test('R23: from an empty tenant to a refund that two new people approved, by the command line alone', async () => {
    const first = minted(
      await asOwner('bootstrap', '--tenant', 'initech', '--name', 'Initech', '--person', 'm.ortiz', '--json'),
    );
    const ortiz = holding(first.token);
    expect((await ortiz('key', 'show', '--json')).json).toMatchObject({ tenant: 'initech', id: 'm.ortiz' });
    // What was on a screen is not what stays.
    const own = minted(await ortiz('key', 'rotate', '--overlap-hours', '0', '--json'));
    expect((await ortiz('key', 'show')).code).toBe(1);
    const admin = holding(own.token);

    const add = async (id: string, kind: string, ...groups: string[]) =>
      admin(
        'admin',
        'person',
        'add',
        id,
        '--name',
        id,
        '--kind',
        kind,
        ...groups.flatMap((g) => ['--group', g]),
        '--json',
      );
    const key = async (person: string, ...scopes: string[]) =>
      minted(
        await admin(
          'admin',
          'key',
          'create',
          '--person',
          person,
          '--name',
          'one',
          ...scopes.flatMap((s) => ['--scope', s]),
          '--json',
        ),
      );
    const second = minted(await asOwner('bootstrap', '--tenant', 'initech', '--person', 'k.park', '--json'));
    expect(second.key.state).toBe('active');
    const third = await asOwner('bootstrap', '--tenant', 'initech', '--person', 'j.doe', '--json');
    expect([third.code, third.problem.code]).toEqual([1, 'already_exists']);
    expect((await add('shop', 'service', 'proposers')).code).toBe(0);
    const shop = await key('shop', 'refunds:propose', 'refunds:read');
    expect((await add('a.chen', 'person', 'approvers')).code).toBe(0);
    const chen = await key('a.chen', 'approvals:read', 'approvals:decide', 'refunds:read');
    expect(chen.key.state).toBe('unconfirmed');
    expect((await holding(chen.token)('approvals', 'list')).code).toBe(1);
    expect((await admin('admin', 'key', 'confirm', chen.key.id, '--json')).problem.code).toBe(
      'separation_of_duties',
    );
    expect((await holding(second.token)('admin', 'key', 'confirm', chen.key.id)).code).toBe(0);

    const charge = await stack.provider.charge(9_000);
    const started = await holding(shop.token)(
      'refund',
      'start',
      '--payment',
      charge,
      '--amount',
      '40.00',
      '--currency',
      'USD',
      '--reason',
      'damaged',
      '--json',
    );
    const { runId } = started.json;
    const approvalId = runId.replace('run_', 'apr_');
    const reviewer = holding(chen.token);
    let approved = await reviewer('approvals', 'approve', approvalId, '--json');
    while (approved.code !== 0 && approved.problem.code === 'not_found')
      approved = await reviewer('approvals', 'approve', approvalId, '--json');
    expect(approved.code).toBe(0);
    const done = await holding(shop.token)('refund', 'watch', runId);
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('completed')]);
    expect((await stack.provider.refunds(charge)).map((refund) => refund.amount)).toEqual([4_000]);

    const changes = await admin('audit', 'search', '--run', 'tenant/initech', '--json');
    expect(
      (changes.json.items as unknown as { event: string; actor: string }[])
        .map(({ actor: who, event }) => `${who} ${event}`)
        .reverse()
        .slice(0, 6),
    ).toEqual([
      'owner tenant_added',
      'owner person_added',
      'owner key_created',
      'm.ortiz key_rotated',
      'owner person_added',
      'owner key_created',
    ]);
  });

  test('is refused while an administrator can sign in, and possible again when nobody can', async () => {
    const made = minted(await asOwner('bootstrap', '--tenant', 'hooli', '--json'));
    const again = await asOwner('bootstrap', '--tenant', 'hooli', '--json');
    expect([again.code, again.stdout, again.problem]).toEqual([
      1,
      '',
      expect.objectContaining({ code: 'already_exists', administrators: ['admin'] }),
    ]);
    const keys = () =>
      query<{ n: string }>(
        stack.database.adminUrl,
        `select count(*)::text as n from api_keys where tenant = 'hooli'`,
      );
    expect((await keys())[0]?.n).toBe('1');
    const revoke = () =>
      holding(made.token)('admin', 'key', 'revoke', made.key.id, '--reason', 'lost', '--yes', '--json');
    // Not by the door itself, behind which nobody would be any more.
    expect((await revoke()).problem.code).toBe('last_administrator');
    expect((await holding(made.token)('admin', 'tenant', 'show')).code).toBe(0);
    await query(stack.database.adminUrl, 'update api_keys set revoked_at = now() where id = $1', [
      made.key.id,
    ]);
    const recovered = minted(await asOwner('bootstrap', '--tenant', 'hooli', '--json'));
    expect((await holding(recovered.token)('admin', 'tenant', 'show')).code).toBe(0);
  });

  test('R23: an administrator who made the other one alone is no two: he confirms nothing of his own and raises himself nowhere', async () => {
    const first = minted(await asOwner('bootstrap', '--tenant', 'umbrella', '--person', 'one', '--json'));
    const one = holding(first.token);
    const admin = (by: typeof one, ...args: string[]) => by('admin', ...args, '--json');
    const add = (id: string, group: string) =>
      admin(one, 'person', 'add', id, '--name', id, '--group', group);
    const key = async (person: string, ...scopes: string[]) =>
      minted(
        await admin(
          one,
          'key',
          'create',
          '--person',
          person,
          '--name',
          'k',
          ...scopes.flatMap((s) => ['--scope', s]),
        ),
      );
    await add('shadow', 'admins');
    const made = await key('shadow', 'admin');
    expect(made.key.state).toBe('active');
    // Rotating leads away from nobody.
    const shadow = holding(
      minted(await holding(made.token)('key', 'rotate', '--overlap-hours', '0', '--json')).token,
    );
    await add('approver', 'approvers');
    const wanted = await key('approver', 'approvals:read', 'approvals:decide');
    expect(wanted.key.state).toBe('unconfirmed');
    const refused = await admin(shadow, 'key', 'confirm', wanted.key.id);
    expect([refused.problem.code, refused.problem.detail]).toEqual([
      'separation_of_duties',
      expect.stringContaining('countersign admin bootstrap'),
    ]);
    const raise = (by: typeof one) => admin(by, 'person', 'change', 'one', '--add-group', 'approvers');
    expect((await raise(shadow)).problem.code).toBe('separation_of_duties');
    // The owner of the database says that this is somebody of his own; what was known to the other opens nothing then.
    const known = minted(await asOwner('bootstrap', '--tenant', 'umbrella', '--person', 'shadow', '--json'));
    expect((await shadow('key', 'show')).code).toBe(1);
    expect((await admin(holding(known.token), 'key', 'confirm', wanted.key.id)).code).toBe(0);
  });

  test("takes the owner's login, and says so", async () => {
    const as = (url: string) =>
      runCli(['admin', 'bootstrap', '--tenant', 'initrode', '--json'], { DATABASE_URL: url });
    const application = await as(stack.database.url);
    expect([application.code, application.problem.detail]).toEqual([
      1,
      expect.stringContaining('COUNTERSIGN_MIGRATION_DATABASE_URL'),
    ]);
    const nothing = await runCli(['admin', 'bootstrap', '--tenant', 'initrode', '--json']);
    expect([nothing.code, nothing.problem.detail]).toEqual([3, expect.stringContaining('DATABASE_URL')]);
    const rows = await query(stack.database.adminUrl, `select from tenants where id = 'initrode'`);
    expect(rows).toEqual([]);
  });

  test('a tenant is deactivated and activated by the owner: its keys open nothing, and then again', async () => {
    const made = minted(await asOwner('bootstrap', '--tenant', 'vandelay', '--json'));
    const self = () => holding(made.token)('key', 'show');
    expect((await asOwner('tenant', 'deactivate', 'vandelay', '--yes')).stdout).toContain('deactivated');
    expect((await self()).code).toBe(1);
    expect((await asOwner('tenant', 'activate', 'vandelay')).code).toBe(0);
    expect((await self()).code).toBe(0);
    expect((await asOwner('tenant', 'list')).stdout).toContain('vandelay');
    expect((await asOwner('tenant', 'deactivate', 'nobody', '--yes')).code).toBe(1);
  });
});
