import { InvalidArgumentError, type Command } from 'commander';
import type { LegalHold, Retention, RetentionDays } from '../../client';
import { callsApi, connect, readsApi, type ConnectionOptions } from '../connection';
import { answer, example } from '../output';
import { table, when } from '../terminal/table';
import { fields } from '../terminal/text';
import { moment } from '../terminal/time';
import { shown } from '../watch';

/** `countersign admin retention …` and `countersign admin hold …` */
export function addRetentionCommands(admin: Command): void {
  const retention = admin.command('retention').description('how long what is kept, in days');
  readsApi(retention.command('show').description('what holds now'))
    .addHelpText('after', example('admin retention show'))
    .action(async (options: ConnectionOptions) => {
      await shown(options, { read: () => connect(options).retention.show(), text: (rule) => rulePage(rule) });
    });

  callsApi(
    retention
      .command('set')
      .description('keep something for longer or shorter')
      .option('--run-days <n>', 'what finished refunds hold of persons', days)
      .option('--memory-days <n>', 'long-term memory', days)
      .option('--turn-days <n>', 'conversations, after their last turn', days),
  )
    .addHelpText('after', example('admin retention set --run-days 60'))
    .action(async ({ runDays, memoryDays, turnDays, ...options }: ConnectionOptions & RetentionDays) => {
      const doors = connect(options).retention;
      const { version } = await doors.show();
      const rule = await doors.set(version, { runDays, memoryDays, turnDays });
      answer(options.json, rule, () => rulePage(rule));
    });

  callsApi(
    retention
      .command('sweep')
      .description('take away now what is kept no longer, besides the schedule')
      .option('--dry-run', 'tell how many rows that would be, and change nothing'),
  )
    .addHelpText('after', example('admin retention sweep --dry-run'))
    .action(async ({ dryRun, ...options }: ConnectionOptions & { dryRun?: boolean }) => {
      const doors = connect(options).retention;
      if (dryRun) {
        const due = await doors.due();
        const rows = Object.entries(due.due).map(([name, count]): [string, string] => [name, String(count)]);
        answer(options.json, due, () => `${fields(rows)}\n${due.holds} legal holds stand\n`);
        return;
      }
      const started = await doors.sweep();
      const where = `countersign audit search --run ${started.sweepId}`;
      answer(options.json, started, () => `${started.sweepId} has begun; what it took: ${where}\n`);
    });

  addHoldCommands(admin);
}

function addHoldCommands(admin: Command): void {
  const hold = admin.command('hold').description('legal holds: what must not be swept or erased');
  readsApi(
    hold
      .command('list')
      .description('those that stand')
      .option('--released', 'those that were released instead'),
  )
    .addHelpText('after', example('admin hold list'))
    .action(async ({ released, ...options }: ConnectionOptions & { released?: boolean }) => {
      await shown(options, {
        read: () => connect(options).retention.holds(released),
        text: (page) => holdTable(page.items),
      });
    });

  callsApi(
    hold
      .command('place')
      .description('keep a run, a person or the whole tenant as it is')
      .argument('<scope>', 'run, person or tenant')
      .argument('[subject]', 'the id of the run or the person')
      .requiredOption('--reason <text>', 'why; it is kept, so name nobody in it'),
  )
    .addHelpText('after', example('admin hold place person cus_9 --reason "case 17/26"'))
    .action(
      async (
        scope: LegalHold['scope'],
        subject: string | undefined,
        { reason, ...options }: ConnectionOptions & { reason: string },
      ) => {
        const body = { scope, reason, ...(subject === undefined ? {} : { subject }) };
        const placed = await connect(options).retention.placeHold(body);
        answer(options.json, placed, () => holdTable([placed]));
      },
    );

  callsApi(hold.command('release').description('release one').argument('<holdId>'))
    .addHelpText('after', example('admin hold release hld_1'))
    .action(async (id: string, options: ConnectionOptions) => {
      const released = await connect(options).retention.releaseHold(id);
      answer(options.json, released, () => holdTable([released]));
    });
}

function rulePage({ runDays, memoryDays, turnDays, version, changedBy, changedAt }: Retention): string {
  return fields([
    ['refunds', `${runDays} days after they have ended`],
    ['memory', `${memoryDays} days`],
    ['conversations', `${turnDays} days after their last turn`],
    ['version', version === 0 ? '0, the defaults' : String(version)],
    ['changed', changedAt === null ? null : `${moment(changedAt)} by ${changedBy ?? ''}`],
  ]);
}

function holdTable(holds: readonly LegalHold[]): string {
  return table(holds, [
    { title: 'HOLD', of: ({ id }) => id },
    { title: 'SCOPE', of: ({ scope }) => scope },
    { title: 'SUBJECT', of: ({ subject }) => subject ?? '' },
    when('SINCE', ({ placedAt }) => placedAt),
    { ...when<LegalHold>('RELEASED', ({ releasedAt }) => releasedAt), optional: true },
    { title: 'REASON', of: ({ reason }) => reason, cut: true },
  ]);
}

function days(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) < 1 || Number(value) > 36_500)
    throw new InvalidArgumentError('a whole number of days from 1 to 36500 is wanted');
  return Number(value);
}
