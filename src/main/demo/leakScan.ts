import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { escapeIdentifier } from 'pg';
import { withConnection } from '../../sandbox/embedded/postgresDatabases';
import { databaseUrl } from '../../sandbox/embedded/postgresServer';
import { databases } from '../up/plan';
import { secretOf, type Stage } from './stage';

/** How many rows, workflows and files hold a text. */
export interface Findings {
  readonly rows: number;
  readonly workflows: number;
  readonly files: number;
}

/**
 * Looks for a text everywhere that something could have been written: every column of every table of both
 * databases, as superuser; the whole history of every workflow; Temporal's own database file and all logs. Spaces and
 * dashes are looked through, as in a card number.
 */
export async function findEverywhere(stage: Stage, text: string): Promise<Findings> {
  const needle = squeezed(text);
  return {
    rows: await rowsWith(stage, needle),
    workflows: await workflowsWith(stage, needle),
    files: filesWith(stage.report.dataDir, needle),
  };
}

async function rowsWith(stage: Stage, needle: string): Promise<number> {
  const { databaseUrl: application, dataDir } = stage.report;
  const login = {
    user: 'postgres',
    password: secretOf(dataDir, 'postgres'),
    port: Number(new URL(application).port),
  };
  let found = 0;
  for (const database of Object.values(databases)) {
    found += await withConnection(databaseUrl({ ...login, database }), async (superuser) => {
      const tables = await superuser.query<{ schemaname: string; tablename: string }>(
        `select schemaname, tablename from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
      );
      let rows = 0;
      for (const { schemaname, tablename } of tables.rows) {
        const table = `${escapeIdentifier(schemaname)}.${escapeIdentifier(tablename)}`;
        // A row as text holds all of its columns; bytes stand there as hexadecimal digits.
        const result = await superuser.query<{ n: string }>(
          `select count(*) as n from ${table} as r where translate(r::text, ' -', '') like any ($1)`,
          [
            [needle, Buffer.from(needle).toString('hex')].map(
              (form) => `%${form.replace(/[\\%_]/g, '\\$&')}%`,
            ),
          ],
        );
        rows += Number(result.rows[0]?.n ?? 0);
      }
      return rows;
    });
  }
  return found;
}

async function workflowsWith(stage: Stage, needle: string): Promise<number> {
  let found = 0;
  for await (const workflow of stage.temporal.everything()) if (holds(workflow, needle)) found += 1;
  return found;
}

/** Payloads are bytes; everything else is text somewhere in the tree. */
function holds(value: unknown, needle: string): boolean {
  if (typeof value === 'string') return squeezed(value).includes(needle);
  if (value instanceof Uint8Array) return squeezed(Buffer.from(value).toString('utf8')).includes(needle);
  if (value === null || typeof value !== 'object') return false;
  return Object.values(value).some((part) => holds(part, needle));
}

function filesWith(dataDir: string, needle: string): number {
  const logs = readdirSync(join(dataDir, 'logs')).map((name) => join(dataDir, 'logs', name));
  const engine = readdirSync(dataDir)
    .filter((name) => name.startsWith('temporal.db'))
    .map((name) => join(dataDir, name));
  return [...logs, ...engine].filter((file) => squeezed(readFileSync(file, 'latin1')).includes(needle))
    .length;
}

function squeezed(text: string): string {
  return text.replace(/[ -]/g, '');
}
