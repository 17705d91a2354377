import { apiCaller } from '../support/api';
import { until } from '../support/processes';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { actor } from './actors';
import { runCli, type CliRun } from './runCli';

let stack: TestStack;
let admin: ReturnType<typeof actor>;
let second: (...args: string[]) => Promise<CliRun>;
beforeAll(async () => {
  stack = await TestStack.start();
  admin = actor(stack, 'admin');
  const { call } = apiCaller(stack.apiUrl, testTokens.acme.admin);
  await call('POST', '/v1/admin/people', {
    ...{ id: 'admin2', kind: 'person', displayName: 'Second Admin', groups: ['admins'] },
  });
  const made = await call('POST', '/v1/admin/keys', { person: 'admin2', name: 'first', scopes: ['admin'] });
  const env = { COUNTERSIGN_API_URL: stack.apiUrl, COUNTERSIGN_TOKEN: made.body.token as string };
  second = (...args) => runCli(args, env);
});
afterAll(() => stack.stop());

test('R49: retention and legal holds, by the command line: what is kept, what a sweep takes, what keeps it', async () => {
  expect((await admin('admin', 'retention', 'show')).stdout).toMatch(
    /refunds +30 days after they have ended[\s\S]*version +0, the defaults/,
  );
  const set = await admin('admin', 'retention', 'set', '--run-days', '60', '--json');
  expect([set.code, set.json]).toEqual([
    0,
    expect.objectContaining({ runDays: 60, memoryDays: 1_095, version: 1, changedBy: 'admin' }),
  ]);
  expect((await admin('admin', 'retention', 'set', '--run-days', 'many')).code).toBe(2);
  const refused = await actor(stack, 'reviewer1')('admin', 'retention', 'show', '--json');
  expect([refused.code, refused.problem.code]).toEqual([1, 'forbidden']);

  const hold = ['admin', 'hold', 'place', 'person', 'cus_9', '--reason', 'case 17/26', '--json'];
  const placed = await admin(...hold);
  expect([placed.code, placed.json['subject']]).toEqual([0, 'cus_9']);
  expect((await admin('admin', 'hold', 'list')).stdout).toMatch(
    new RegExp(`^HOLD +SCOPE[\\s\\S]*${placed.json.id} +person +cus_9 .*case 17/26`),
  );
  expect((await admin('admin', 'retention', 'sweep', '--dry-run')).stdout).toMatch(
    /memory_pins +0[\s\S]*\n1 legal holds stand\n$/,
  );
  const swept = await admin('admin', 'retention', 'sweep', '--json');
  const sweepId = String(swept.json['sweepId']);
  await until(async () =>
    (await admin('audit', 'search', '--run', sweepId)).stdout.includes('retention_swept'),
  );
  const released = await admin('admin', 'hold', 'release', placed.json.id, '--json');
  expect(released.json).toMatchObject({ id: placed.json.id, subject: null });
  expect((await admin('admin', 'hold', 'list')).stdout).not.toContain('cus_9');
});

test('R49: an erasure, by the command line: two administrators, a yes, what it waits for, the report that proves it', async () => {
  const unsure = await admin('erase', 'cus_7');
  expect([unsure.code, unsure.stderr]).toEqual([2, expect.stringContaining('--yes')]);
  const asked = await admin('erase', 'cus_7', '--yes', '--json');
  const { id } = asked.json;
  expect([asked.code, asked.json['state'], asked.json['own']]).toEqual([0, 'unconfirmed', false]);
  const alone = await admin('erasure', 'confirm', id, '--yes', '--json');
  expect([alone.code, alone.problem.code]).toEqual([1, 'separation_of_duties']);
  const foreign = await actor(stack, 'admin', 'globex')('erasure', 'show', id, '--json');
  expect([foreign.code, foreign.problem.code]).toEqual([1, 'not_found']);
  expect((await admin('erasure', 'show', id)).stdout).toContain(`countersign erasure confirm ${id}`);
  expect((await second('erasure', 'confirm', id, '--yes')).stdout).toMatch(/confirmed by +admin2/);
  let page = '';
  await until(async () => {
    page = (await admin('erasure', 'show', id)).stdout;
    return /state +finished/.test(page);
  });
  expect(page).toMatch(/person +nobody any more[\s\S]*looked +\d+ tables, 0 rows found/);
  const late = await admin('erasure', 'cancel', id, '--json');
  expect([late.code, late.problem.code]).toEqual([1, 'erasure_not_open']);

  const wrong = await admin('erase', 'cus_8', '--yes', '--json');
  expect((await admin('erasure', 'cancel', wrong.json.id)).stdout).toMatch(/state +cancelled/);
  const list = (await admin('erasure', 'list')).stdout;
  expect(list).toMatch(new RegExp(`${wrong.json.id} +cancelled[\\s\\S]*${id} +finished`));
});
