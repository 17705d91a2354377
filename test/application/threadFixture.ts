import { Database } from '../../src/adapters/postgres/database';
import { PostgresStore } from '../../src/adapters/postgres/store';
import { appendTurns } from '../../src/application/appendTurns';
import { listTurns, openThread, startThread } from '../../src/application/threads';
import type { Message } from '../../src/domain/thread/turn';
import type { Principal } from '../../src/ports/people';
import { createDatabase } from '../support/database';

export const who = (id: string, kind: Principal['kind'] = 'person', tenant = 'acme'): Principal => ({
  ...{ tenant, id, kind, groups: [], limitMajor: null, displayName: id },
  key: { id: 'key', scopes: ['*'], expiresAt: null },
});
export const service = who('service', 'service');
export const agent = who('agent', 'agent');

export const user = (text: string, more: Partial<Message> = {}): Message => ({ role: 'user', text, ...more });

/** The code that something is refused with, or `done`. */
export const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error as { code?: string }).code ?? error,
  );

export type ThreadFixture = Awaited<ReturnType<typeof threadFixture>>;

/** Threads on a database of the suite's own; `cus_1` is the owner, and the service acts for him. */
export async function threadFixture() {
  const database = await createDatabase();
  const pool = new Database(database.url);
  const store = new PostgresStore(pool);
  return {
    database,
    store,
    begin: async (ownerId = 'cus_1') => (await startThread({ store }, service, { ownerId }, undefined)).id,
    append: (
      id: string,
      messages: Message[],
      more: { readonly expectedVersion?: number } = {},
      as = service,
      owner = 'cus_1',
    ) => appendTurns({ store }, as, id, { messages, ...more }, owner),
    said: async (id: string, owner = 'cus_1') =>
      (
        await listTurns({ store }, service, await openThread({ store }, service, id, owner), {
          after: 0,
          limit: 200,
        })
      ).items,
    close: async () => {
      await pool.close();
      await database.drop();
    },
  };
}
