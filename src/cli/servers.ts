import type { Command } from 'commander';
import { settingsOfCommand } from './connection';
import { wholeNumber } from './numbers';
import { example } from './output';

/** What a process says is JSON anyway. */
export const logsJson = ['--json', 'errors as problem+json; the log is JSON lines without it too'] as const;

/** Commands that run a process. What each needs is loaded only when it runs: the CLI itself starts fast. */
export function addServerCommands(root: Command): void {
  root
    .command('up')
    .description(
      'run everything embedded: Temporal, PostgreSQL, sandbox provider, API and workers; Ctrl-C stops all of it',
    )
    .option('--workers <n>', 'how many workers', wholeNumber, 1)
    .option('--port-base <n>', 'first of five ports in a row; without it, free ones are found', wholeNumber)
    .option('--json', 'print one JSON line when everything is ready')
    .addHelpText('after', example('up --workers 2'))
    .action(async ({ workers, portBase, json }: { workers: number; portBase?: number; json?: boolean }) => {
      const { runUp } = await import('./up.js');
      await runUp({ workers, ...(portBase === undefined ? {} : { portBase }) }, json === true);
    });

  root
    .command('worker')
    .description('run one worker; needs TEMPORAL_ADDRESS, DATABASE_URL and STRIPE_API_KEY')
    .option(...logsJson)
    .addHelpText('after', example('worker'))
    .action(async () => (await import('../main/worker.js')).runWorker(settingsOfCommand()));

  root
    .command('api')
    .description(
      'run the HTTP API; needs what a worker needs, COUNTERSIGN_SIGNING_KEY and COUNTERSIGN_HASH_KEY',
    )
    .option(...logsJson)
    .addHelpText('after', example('api'))
    .action(async () => (await import('../main/api.js')).runApi(settingsOfCommand()));

  root
    .command('migrate')
    .description('bring the database to the newest schema; needs COUNTERSIGN_MIGRATION_DATABASE_URL')
    .option('--json', 'print what was applied as JSON')
    .addHelpText('after', example('migrate'))
    .action(async ({ json }: { json?: boolean }) => {
      const applied = await (await import('../main/migrate.js')).runMigrate(settingsOfCommand());
      process.stdout.write(
        json
          ? `${JSON.stringify({ applied })}\n`
          : applied.length > 0
            ? `applied ${applied.join(', ')}\n`
            : 'up to date\n',
      );
    });
}
