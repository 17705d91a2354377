import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../adapters/postgres/database';
import { PostgresStore } from '../adapters/postgres/store';
import { prepareDocument, storeDocument } from '../application/knowledge';
import { embeddedTenants } from '../sandbox/embeddedTenants';
import { packageRoot } from './version';

export const handbookId = 'refund-handbook';
const file = join(packageRoot, 'policies', 'embedded', `${handbookId}.md`);

/**
 * The refund handbook of the embedded tenants, which says in prose what their policy says. Once it was there it is theirs:
 * one that they changed or deleted stays so.
 */
export async function seedHandbook(databaseUrl: string): Promise<void> {
  const by = 'countersign';
  const text = readFileSync(file, 'utf8');
  const handbook = prepareDocument({ document: handbookId, format: 'markdown', text }, by);
  const database = new Database(databaseUrl, 2);
  try {
    const store = new PostgresStore(database);
    for (const tenant of Object.keys(embeddedTenants))
      await store.inTenant(tenant, async (unit) => {
        const before = await unit.knowledge.lastVersion(handbookId);
        if (before === 0) await storeDocument(unit, { tenant, id: by }, handbook);
      });
  } finally {
    await database.close();
  }
}
