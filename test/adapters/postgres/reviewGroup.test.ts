import { up } from '../../../src/adapters/postgres/migrations/0006_reviews';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { createDatabase, query, type TestDatabase } from '../../support/database';

describe('a policy from before there were reviews', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());

  const groupOf = async (version: string) => {
    const rows = await query<{ document: Record<string, unknown> }>(
      database.adminUrl,
      'select document from policies where version = $1',
      [version],
    );
    return rows[0]?.document['reviewGroup'];
  };

  test('R13: gets the group that it escalates to as its reviewers, else its approvers; one that names its own keeps it', async () => {
    const owner = (text: string, values: unknown[] = []) => query(database.ownerUrl, text, values);
    // Back to how it was before the migration, with the policies of that time.
    await owner(`drop function tenant_of_payment; drop table provider_events, review_orders;
      drop trigger policies_append_only on policies;
      drop index effects_provider_id; alter table runs drop column review, drop column reopened_by`);
    for (const [version, change] of [
      ['escalates', `document - 'reviewGroup'`],
      ['escalates-not', `document - 'reviewGroup' - 'escalation'`],
      ['names-its-own', `jsonb_set(document, '{reviewGroup}', '"treasury"')`],
    ] as const)
      await owner(
        `insert into policies (tenant, version, document)
         select tenant, $1, ${change} from policies where tenant = 'acme' order by published_at limit 1`,
        [version],
      );
    const kysely = new Kysely<unknown>({
      dialect: new PostgresDialect({ pool: new Pool({ connectionString: database.ownerUrl, max: 1 }) }),
    });
    await up(kysely).finally(() => kysely.destroy());
    expect(await Promise.all(['escalates', 'escalates-not', 'names-its-own'].map(groupOf))).toEqual([
      'finance-lead',
      'approvers',
      'treasury',
    ]);
  });
});
