import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { TestStack } from '../support/stack';
import { actor } from './actors';
import { runCli } from './runCli';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({ workers: 0 });
});
afterAll(() => stack.stop());

const asOwner = (...args: string[]) =>
  runCli(['admin', ...args], { COUNTERSIGN_MIGRATION_DATABASE_URL: stack.database.ownerUrl });

describe('countersign admin', () => {
  const admin = (...args: string[]) => actor(stack, 'admin')('admin', ...args);

  test('shows people, groups, keys and channels in tables', async () => {
    const people = await admin('person', 'list');
    expect(people.stdout).toMatch(/^ID +KIND +NAME +GROUPS +LIMIT +STATE/);
    expect(people.stdout).toMatch(
      /lead +person +Finance lead +approvers, finance-lead, proposers +none +active/,
    );
    expect((await admin('group', 'list')).stdout).toMatch(/approvers +lead, reviewer1, reviewer2/);
    const keys = await admin('key', 'list', '--person', 'reviewer1');
    expect(keys.stdout).toMatch(/^KEY +PERSON +NAME +STATE/);
    expect((await admin('channel', 'list')).stdout).toMatch(/^KID +CHANNEL/);
    expect((await admin('tenant', 'show')).stdout).toMatch(/acme +Acme +active/);
    expect((await admin('person', 'list', '--limit', '1')).stdout).toContain('--cursor admin');
  });

  test('R34: a change from an old version is refused, from what is there now it goes through', async () => {
    const change = (...args: string[]) => admin('person', 'change', 'reviewer2', ...args, '--json');
    const once = await change('--limit', '700.00', '--from-version', '1');
    expect([once.code, once.json['limit'], once.json['version']]).toEqual([0, '700.00', 2]);
    const stale = await change('--limit', '900.00', '--from-version', '1');
    expect([stale.code, stale.problem.code]).toEqual([1, 'version_conflict']);
    expect((await change('--no-limit')).json['limit']).toBeNull();
    expect((await change()).code).toBe(2);
  });

  test('groups: add, join, leave, remove', async () => {
    expect((await admin('group', 'add', 'desk', '--description', 'front')).code).toBe(0);
    expect((await admin('group', 'join', 'desk', 'reviewer1', 'reviewer2')).stdout).toContain(
      'reviewer1, reviewer2',
    );
    expect((await admin('group', 'remove', 'desk', '--yes')).code).toBe(1);
    expect((await admin('group', 'leave', 'desk', 'reviewer1', 'reviewer2')).code).toBe(0);
    expect((await admin('group', 'join', 'desk', 'admin', '--json')).problem.code).toBe(
      'separation_of_duties',
    );
    expect((await admin('group', 'remove', 'desk', '--yes')).stdout).toBe('desk is removed\n');
  });

  test.each([
    [['person', 'deactivate', 'reviewer1']],
    [['key', 'revoke', 'key_1', '--reason', 'x']],
    [['channel', 'revoke', 'kid', '--reason', 'x']],
    [['group', 'remove', 'approvers']],
    [['tenant', 'deactivate', 'acme']],
    [['signing-key', 'revoke', 'kid']],
  ])('%j asks first, and with nobody to ask it wants --yes', async (args) => {
    const { code, stderr } = await admin(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--yes')]);
  });

  test('a private key is not sent, also by mistake', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-channel-'));
    try {
      const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
      const { d, ...publicJwk } = await exportJWK(privateKey);
      const file = join(folder, 'desk.jwk');
      writeFileSync(file, JSON.stringify({ ...publicJwk, d }));
      const register = (key: string) =>
        admin('channel', 'register', '--channel', 'desk', '--public-key', key, '--json');
      const refused = await register(file);
      expect([refused.code, refused.problem.detail]).toEqual([2, expect.stringContaining('private key')]);
      writeFileSync(file, JSON.stringify(publicJwk));
      const { code, json } = await register(file);
      expect([code, json['state']]).toEqual([0, 'unconfirmed']);
      expect((await register('neither')).code).toBe(2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("Countersign's own signing keys are listed and revoked by the owner", async () => {
    const [key] = (await asOwner('signing-key', 'list', '--json')).json.items as unknown as { kid: string }[];
    expect((await asOwner('signing-key', 'list')).stdout).toContain(key?.kid ?? 'none');
    expect((await asOwner('signing-key', 'revoke', 'no-such', '--yes')).code).toBe(1);
  });

  const commands = [
    ['bootstrap'],
    ...['show', 'rename', 'list', 'deactivate', 'activate'].map((name) => ['tenant', name]),
    ...['list', 'show', 'add', 'change', 'deactivate', 'activate'].map((name) => ['person', name]),
    ...['list', 'add', 'join', 'leave', 'remove'].map((name) => ['group', name]),
    ...['list', 'create', 'confirm', 'rotate', 'revoke'].map((name) => ['key', name]),
    ...['list', 'register', 'confirm', 'rotate', 'revoke'].map((name) => ['channel', name]),
    ...['list', 'revoke'].map((name) => ['signing-key', name]),
  ];
  test('every command has --json, and help with an example that names it', async () => {
    for (const command of commands) {
      const { code, stdout } = await admin(...command, '--help');
      expect({ command, code }).toEqual({ command, code: 0 });
      expect(stdout).toContain('--json');
      expect(stdout).toMatch(new RegExp(`\\$ countersign admin ${command.join(' ')}\\b`));
    }
  });
});
