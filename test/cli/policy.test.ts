import { embeddedPolicy } from '../../src/sandbox/embeddedTenants';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/main/version';
import { TestStack } from '../support/stack';
import { actor } from './actors';
import { runCli } from './runCli';

const embedded = join(packageRoot, 'policies', 'embedded');
let work: string;
beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'countersign-policy-'));
});
afterAll(() => rmSync(work, { recursive: true }));

let made = 0;
/** A copy of the embedded policy with one file changed. */
function changed(file: string, change: (text: string) => string): string {
  made += 1;
  const folder = join(work, `policy-${made}`);
  cpSync(embedded, folder, { recursive: true });
  writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')));
  return folder;
}
const stricter = () => changed('table.json', (text) => text.replace('"approvers": 1', '"approvers": 2'));
const misspelt = () =>
  changed('policy.cedar', (text) => text.replace('resource.amount >', 'resource.amunt >'));

const examples = embeddedPolicy.cases.cases.length;

describe('countersign policy, where no API is', () => {
  test('R42: check says that nothing is wrong, or what is wrong and where', async () => {
    const good = await runCli(['policy', 'check', embedded]);
    expect([good.code, good.stdout, good.stderr]).toEqual([
      0,
      expect.stringContaining(`${examples} examples come out as expected`),
      '',
    ]);
    const bad = await runCli(['policy', 'check', misspelt()]);
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(/^policy\.cedar:\d+: rule limit: .*amunt.*did you mean `amount`/);
    const machine = await runCli(['policy', 'check', misspelt(), '--json']);
    expect([machine.code, machine.json]).toMatchObject([
      1,
      { ok: false, problems: [{ where: 'rules', rule: 'limit' }] },
    ]);
  });

  test('R42: test runs every example and says which fails, and why', async () => {
    const good = await runCli(['policy', 'test', embedded]);
    expect([good.code, good.stdout]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(`ok {6}not a cent above it: over_limit[^]*${examples} passed, 0 failed`),
      ),
    ]);
    const bad = await runCli(['policy', 'test', stricter()]);
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(
      /FAILED {2}the case "one cent more needs one" expects 1 vote and gets 2 votes/,
    );
    expect(bad.stdout).toMatch(/\d+ passed, \d+ failed/);
  });

  test('diff says in words what changes, and which examples come out otherwise', async () => {
    const none = await runCli(['policy', 'diff', embedded, '--against', embedded]);
    expect([none.code, none.stdout]).toEqual([0, expect.stringContaining('Nothing changes')]);
    const some = await runCli(['policy', 'diff', stricter(), '--against', embedded]);
    expect(some.stdout).toMatch(/USD: .*up to 500.00 2 approvers.*; was .*up to 500.00 1 approver/);
    expect(some.stdout).toMatch(/one cent more needs one: 2 votes; was 1 vote/);
    const rule = changed(
      'policy.cedar',
      (text) => `${text}\n@id("extra") permit (principal, action == Action::"review", resource);\n`,
    );
    const more = await runCli(['policy', 'diff', rule, '--against', embedded, '--json']);
    expect(more.json).toMatchObject({
      changes: ['rule extra: new; it permits'],
      changedAnswers: [{ case: "approvers don't", before: 'forbidden', after: 'permit' }],
    });
  });

  test.each<[string, () => string[], RegExp]>([
    [
      'a folder that is not there',
      () => ['policy', 'check', join(work, 'none')],
      /policy\.cedar can't be read; a policy is a folder with/,
    ],
    [
      'a table that is no JSON',
      () => ['policy', 'test', changed('table.json', () => '{')],
      /table\.json is not JSON/,
    ],
    [
      'two things to compare with',
      () => ['policy', 'diff', embedded, '--against', embedded, '--published', '1'],
      /one of them/,
    ],
    ['a publication that says not what it replaces', () => ['policy', 'publish', embedded], /--expected/],
  ])('%s is wrong usage: exit code 2', async (_what, args, says) => {
    const { code, stderr, stdout } = await runCli(args(), {
      COUNTERSIGN_API_URL: 'http://127.0.0.1:1',
      COUNTERSIGN_TOKEN: 't',
    });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(says);
  });
});

describe('countersign policy, with an API', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start({ workers: 0 });
  });
  afterAll(() => stack.stop());

  test('R34: show, change, diff, publish: and whoever comes too late is told so', async () => {
    const admin = actor(stack, 'admin');
    const folder = join(work, 'mine');
    const shown = await admin('policy', 'show', '--write', folder);
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Policy 2026-11-01, published [\s\S]*USD: up to 50.00 automatic[\s\S]*@id\("limit"\)/,
      ),
    ]);
    expect(readFileSync(join(folder, 'policy.cedar'), 'utf8')).toBe(
      readFileSync(join(embedded, 'policy.cedar'), 'utf8'),
    );
    const over = await admin('policy', 'show', '--write', folder);
    expect([over.code, over.stderr]).toEqual([2, expect.stringContaining('is not written')]);

    const table = join(folder, 'table.json');
    writeFileSync(table, readFileSync(table, 'utf8').replace('"expiryHours": 72', '"expiryHours": 96'));
    const diff = await admin('policy', 'diff', folder);
    expect([diff.code, diff.stdout]).toEqual([
      0,
      expect.stringContaining('expiry: after 4 days; was after 3 days'),
    ]);
    expect(diff.stderr).toContain(`countersign policy publish ${folder} --expected 2026-11-01`);

    const published = await admin(
      'policy',
      'publish',
      folder,
      '--expected',
      '2026-11-01',
      '--comment',
      'a day more',
    );
    expect([published.code, published.stdout]).toEqual([0, expect.stringContaining('Version 2 is in force')]);
    const late = await admin('policy', 'publish', embedded, '--expected', '2026-11-01', '--json');
    expect([late.code, late.problem]).toMatchObject([1, { code: 'version_conflict', newest: '2' }]);
    const list = await admin('policy', 'list');
    expect(list.stdout).toMatch(/^VERSION[\s\S]*\n2 .*admin.*a day more\n2026-11-01/);
    expect((await admin('policy', 'list', '--json')).json.items).toHaveLength(2);
    expect((await admin('policy', 'show', 'none')).code).toBe(1);
  });

  test('R42: a policy whose example fails is refused before anything is sent, with which and why', async () => {
    const refused = await actor(stack, 'admin')('policy', 'publish', stricter(), '--expected', '2');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /not published[\s\S]*the case "one cent more needs one" expects 1 vote and gets 2 votes/,
    );
    const machine = await actor(stack, 'admin')('policy', 'publish', misspelt(), '--expected', '2', '--json');
    expect([machine.code, machine.problem]).toMatchObject([
      1,
      { code: 'policy_invalid', problems: [{ rule: 'limit' }] },
    ]);
  });

  test('R23: a reviewer reads the policy that binds him, and publishes none', async () => {
    const reviewer = actor(stack, 'reviewer1');
    expect((await reviewer('policy', 'show')).code).toBe(0);
    const refused = await reviewer('policy', 'publish', embedded, '--expected', '2');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('only an administrator publishes'),
    ]);
  });
});
