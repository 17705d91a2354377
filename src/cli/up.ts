import { up } from '../main/up';
import { settingsOfCommand } from './connection';

/** Runs until Ctrl-C or SIGTERM. */
export async function runUp(options: { workers: number; portBase?: number }, json: boolean): Promise<void> {
  const running = await up(settingsOfCommand(), options, (line) => {
    if (!json) process.stdout.write(`${line}\n`);
  });
  process.stdout.write(json ? `${JSON.stringify(running.report())}\n` : whatNext(running.report()));
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  if (!json)
    process.stdout.write('\nstopping; every waiting refund goes on with the next `countersign up`\n');
  await running.stop();
}

function whatNext(report: ReturnType<Awaited<ReturnType<typeof up>>['report']>): string {
  return `
API          ${report.apiUrl}
Temporal UI  ${report.temporalUiUrl ?? 'not run here'}
Provider     ${report.providerUrl} (a simulation)
Data         ${report.dataDir}; all addresses and tokens are in ${report.dataDir}/up.json

Try, in another terminal:
  export COUNTERSIGN_DATA_DIR=${report.dataDir}
  npx countersign sandbox charge --amount 120.00 --currency USD
  npx countersign refund start --as acme/service --payment <ch_…> --amount 120.00 --currency USD --reason damaged
  npx countersign approvals list --as acme/reviewer1
`;
}
