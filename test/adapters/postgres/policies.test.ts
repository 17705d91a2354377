import { CedarAuthorization } from '../../../src/adapters/policy/cedar';
import { Database } from '../../../src/adapters/postgres/database';
import { PostgresTenants } from '../../../src/adapters/postgres/tenants';
import { runCases } from '../../../src/domain/policy/runCases';
import { embeddedPolicy } from '../../../src/sandbox/embeddedTenants';
import type { NewPolicy } from '../../../src/ports/policies';
import { query } from '../../support/database';
import { LedgerFixture } from './ledgerFixture';

let ledger: LedgerFixture;
beforeEach(async () => {
  ledger = await LedgerFixture.open();
});
afterEach(() => ledger.close());

const { version: seeded, document, cedar, cases } = embeddedPolicy;
const policy = (more: Partial<NewPolicy> = {}): NewPolicy => ({
  document,
  cedar,
  cases,
  publishedBy: 'admin',
  ...more,
});
const publish = (expected: string, more: Partial<NewPolicy> = {}, tenant = 'acme') =>
  ledger.in((unit) => unit.policies.publish(policy(more), expected), tenant);
const inForce = (tenant = 'acme') => ledger.in((unit) => unit.policies.newest(), tenant);

test("R43: a new tenant's examples come out as they say under the rules that it begins with", async () => {
  const owner = new Database(ledger.database.ownerUrl, 1);
  await new PostgresTenants(owner).create('initech', 'Initech');
  await owner.close();
  const begun = await ledger.in((unit) => unit.policies.find('starter'), 'initech');
  const results = begun && runCases(begun, new CedarAuthorization().under(begun), begun.cases);
  expect(results?.filter(({ passed }) => !passed)).toEqual([]);
  expect(results?.length).toBeGreaterThan(8);
});

describe('published policies', () => {
  test('R34: each version has the next number, and whoever compared with an older one is told so', async () => {
    const second = await publish(seeded, { comment: 'why' });
    expect(second).toMatchObject({ version: '2', number: 2, publishedBy: 'admin', comment: 'why', cases });
    const named = await publish('2', { version: 'autumn', cedar: `${cedar}\n` });
    expect(named).toMatchObject({ version: 'autumn', number: 3 });
    await expect(publish('2', { cedar: `${cedar} ` })).rejects.toMatchObject({
      code: 'version_conflict',
      details: { newest: 'autumn' },
    });
    await expect(publish('autumn', { version: '2', cedar: `${cedar} ` })).rejects.toMatchObject({
      code: 'version_conflict',
    });
    expect(await inForce()).toEqual({ version: 'autumn', document, cedar: `${cedar}\n` });
    const { items } = await ledger.in((unit) => unit.policies.list({ limit: 9 }));
    expect(items.map(({ version }) => version)).toEqual(['autumn', '2', seeded]);
    expect((await inForce('globex')).version).toBe(seeded);
  });

  test('R34: of twenty who publish at once on the same version, one does', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => publish(seeded, { cedar: `${cedar}\n// ${i}\n` })),
    );
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [(outcome.reason as { code: string }).code] : [],
    );
    expect(refused).toEqual(Array.from({ length: 19 }, () => 'version_conflict'));
    expect(await ledger.rows(`select 1 from policies where tenant = 'acme'`)).toHaveLength(2);
  });

  test('R34: the same request again, whose answer got lost, is the version that it made', async () => {
    const first = await publish(seeded, { comment: 'why' });
    expect(await publish(seeded, { comment: 'why' })).toEqual(first);
    await expect(publish(seeded, { publishedBy: 'somebody' })).rejects.toMatchObject({
      code: 'version_conflict',
    });
  });

  test('R42: what was published stays as it is, also for the owner of the table; number and time are nobody’s choice', async () => {
    const asOwner = (text: string) =>
      query(ledger.database.ownerUrl, text).then(
        () => 'done',
        (error: Error) => error.message,
      );
    for (const text of [
      `update policies set cedar = ''`,
      `update policies set published_at = now()`,
      `delete from policies`,
      `truncate policies`,
    ])
      expect(await asOwner(text)).toContain('stays as it is');
    await asOwner(
      `insert into policies (tenant, version, document, number, published_at)
       select tenant, 'mine', document, 999, '2999-01-01' from policies where tenant = 'acme'`,
    );
    const [row] = await ledger.rows<{ number: number; late: boolean }>(
      `select number, published_at > now() as late from policies where version = 'mine'`,
    );
    expect(row).toEqual({ number: 2, late: false });
  });

  test('R23: a version from before rules were text means what it meant: every example comes out the same, and nothing is permitted that came later', async () => {
    await query(
      ledger.database.ownerUrl,
      `insert into policies (tenant, version, document) select tenant, 'old', document from policies where tenant = 'acme'`,
    );
    const old = await inForce();
    expect(old.version).toBe('old');
    const results = runCases(old, new CedarAuthorization().under(old), cases);
    const later = { case: 'an administrator corrects what is remembered of somebody', expected: 'permit' };
    expect(results.filter(({ passed }) => !passed)).toMatchObject([{ ...later, got: 'forbidden' }]);
    expect(new CedarAuthorization().problems(old.cedar)).toEqual([]);
  });
});
