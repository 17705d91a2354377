import type { Command } from 'commander';
import type { Erasure } from '../client';
import { confirm, confirms, type Confirmable } from './admin/confirmation';
import { callsApi, connect, readsApi, type ConnectionOptions } from './connection';
import { answer, example } from './output';
import { table, when } from './terminal/table';
import { fields } from './terminal/text';
import { moment } from './terminal/time';
import { shown } from './watch';

/** `countersign erase …` and `countersign erasure …` */
export function addErasureCommands(root: Command): void {
  callsApi(
    confirms(
      root
        .command('erase')
        .description('erase a person: oneself, or somebody else once another administrator confirms')
        .argument('<person>', 'the id of an owner of memories, of a user behind a service, or of a customer'),
    ),
  )
    .addHelpText('after', example('erase cus_9 --yes'))
    .action(async (person: string, options: ConnectionOptions & Confirmable) => {
      await confirm(options, `Everything that is kept of ${person} goes, and nothing brings it back.`);
      const erasure = await connect(options).erasures.request(person);
      answer(options.json, erasure, () => erasurePage(erasure));
    });

  const erasure = root.command('erasure').description('erasures, and the report that proves each');
  readsApi(erasure.command('show').description('one, with its report').argument('<erasureId>'))
    .addHelpText('after', example('erasure show era_1'))
    .action(async (id: string, options: ConnectionOptions) => {
      await shown(options, {
        read: () => connect(options).erasures.show(id),
        text: erasurePage,
        ended: ({ state }) => state === 'finished' || state === 'cancelled',
      });
    });

  readsApi(erasure.command('list').description('the newest; administrators only'))
    .addHelpText('after', example('erasure list'))
    .action(async (options: ConnectionOptions) => {
      await shown(options, {
        read: () => connect(options).erasures.list(),
        text: (page) => erasureTable(page.items),
      });
    });

  callsApi(
    confirms(
      erasure
        .command('confirm')
        .description('confirm what another administrator has asked for')
        .argument('<erasureId>'),
    ),
  )
    .addHelpText('after', example('erasure confirm era_1 --yes'))
    .action(async (id: string, options: ConnectionOptions & Confirmable) => {
      const { erasures } = connect(options);
      const { person } = await erasures.show(id);
      await confirm(options, `Everything that is kept of ${person ?? id} goes, and nothing brings it back.`);
      const confirmed = await erasures.confirm(id);
      answer(options.json, confirmed, () => erasurePage(confirmed));
    });

  callsApi(
    erasure.command('cancel').description('give it up while nobody has confirmed it').argument('<erasureId>'),
  )
    .addHelpText('after', example('erasure cancel era_1'))
    .action(async (id: string, options: ConnectionOptions) => {
      const cancelled = await connect(options).erasures.cancel(id);
      answer(options.json, cancelled, () => erasurePage(cancelled));
    });
}

function erasureTable(erasures: readonly Erasure[]): string {
  return table(erasures, [
    { title: 'ERASURE', of: ({ id }) => id },
    { title: 'STATE', of: ({ state }) => state },
    { title: 'PERSON', of: ({ person }) => person ?? '' },
    { title: 'ASKED BY', of: ({ requestedBy }) => requestedBy },
    when('ASKED', ({ requestedAt }) => requestedAt),
    { title: 'WAITS FOR', of: ({ waitingFor }) => waitingFor.map(({ code }) => code).join(' '), cut: true },
  ]);
}

const meanings: Record<Erasure['waitingFor'][number]['code'], string> = {
  legal_hold: 'a legal hold on the person or the tenant',
  refunds_held: 'refunds under a legal hold',
  refunds_unfinished: 'refunds that have not ended',
  histories_deleting: 'refunds whose histories Temporal is deleting',
  still_named: 'rows that still name the person',
};

function erasurePage(erasure: Erasure): string {
  const { id, state, person, report, waitingFor, requestedBy, confirmedBy, finishedAt } = erasure;
  const waits = waitingFor.map(
    ({ code, count, tables }) => `${count} × ${meanings[code]}${tables ? ` (${tables.join(', ')})` : ''}`,
  );
  const next =
    state === 'unconfirmed' ? `\nAnother administrator goes on: countersign erasure confirm ${id}\n` : '';
  return `${id}\n\n${fields([
    ['state', state],
    ['person', person ?? 'nobody any more'],
    ['asked by', requestedBy],
    ['confirmed by', confirmedBy],
    ['finished', finishedAt === null ? null : moment(finishedAt)],
    ['waits for', waits.length === 0 ? null : waits.join('; ')],
  ])}${next}${report ? `\n${reportText(report)}` : ''}`;
}

function reportText({ erased, histories, looked, kept }: NonNullable<Erasure['report']>): string {
  const gone = Object.entries(erased).filter(([, rows]) => rows > 0);
  const found = Object.values(looked).reduce((sum, rows) => sum + rows, 0);
  const lines = [
    `erased     ${gone.map(([name, rows]) => `${name} ${rows}`).join(', ') || 'nothing'}`,
    `histories  of ${histories} refunds gone from Temporal`,
    `looked     ${Object.keys(looked).length} tables, ${found} rows found`,
    ...Object.entries(kept).map(([name, { rows, reason }]) => `kept       ${name} ${rows}: ${reason}`),
  ];
  return `${lines.join('\n')}\n`;
}
