import { query } from '../support/database';
import type { TestStack } from '../support/stack';

let published = 0;

/** From now on this tenant's newest policy says this too. */
export async function publishPolicy(
  { database }: Pick<TestStack, 'database'>,
  tenant: 'acme' | 'globex',
  change: Record<string, unknown>,
): Promise<void> {
  published += 1;
  await query(
    database.ownerUrl,
    `insert into policies (tenant, version, document)
     select tenant, $1, document || $2 from policies where tenant = $3 order by published_at desc limit 1`,
    [`test-${published}`, JSON.stringify(change), tenant],
  );
}
