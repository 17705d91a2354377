import { readFileSync } from 'node:fs';
import { query } from './database';
import type { TestStack } from './stack';

/** As screening reads it, without what is put between digits to hide them. */
const squeezed = (text: string): string => text.normalize('NFKC').replace(/[^0-9a-zA-Z_]/g, '');

/** How many rows of the suite's database, workflow histories and logs of its processes hold a text. */
export async function findEverywhere(
  stack: TestStack,
  text: string,
): Promise<{ rows: number; histories: number; logs: number }> {
  const needle = squeezed(text);
  const holds = (candidate: string): boolean => squeezed(candidate).includes(needle);
  const tables = await query<{ name: string }>(
    stack.database.adminUrl,
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
  );
  let rows = 0;
  for (const { name } of tables) {
    const all = await query<{ row: string }>(stack.database.adminUrl, `select t::text as row from ${name} t`);
    rows += all.filter(({ row }) => holds(row)).length;
  }
  let histories = 0;
  for await (const { workflowId } of stack.temporal.client.workflow.list()) {
    const history = await stack.temporal.client.workflow.getHandle(workflowId).fetchHistory();
    const written = JSON.stringify(history, (_key, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
    );
    if (holds(written)) histories += 1;
  }
  const logs = [stack.api, ...stack.workers].filter(({ log }) => holds(readFileSync(log, 'utf8'))).length;
  return { rows, histories, logs };
}
