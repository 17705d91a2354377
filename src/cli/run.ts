import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { ForkRequest, PastPoint, PastState, TimelineEntry } from '../client';
import { runKindOf } from '../domain/contract';
import { callsApi, connect, type ConnectionOptions } from './connection';
import { UsageError } from './failure';
import { onBehalfOf } from './onBehalfOf';
import { answer, example } from './output';
import { underKey } from './refundSplit';
import { addReplayCommands } from './runReplay';
import { temporalOfCommand, workflowIdOf } from './runTemporal';
import { differenceTable, forked, mergedTable, statesTable, statePage, transitionsTable } from './runText';

interface TimelineOptions extends ConnectionOptions {
  readonly at?: string;
  readonly diff?: string[];
  readonly events?: boolean;
}

interface ForkOptions extends ConnectionOptions {
  readonly at?: string;
  readonly amount?: string;
  readonly reason?: string;
  readonly customer?: string;
  readonly order?: string;
  readonly thread?: string;
  readonly onBehalfOf?: string;
  readonly note?: string;
  readonly evidence?: string[];
  readonly withoutLines?: boolean;
  readonly withoutThread?: boolean;
  readonly idempotencyKey?: string;
}

/** `countersign run …` */
export function addRunCommands(root: Command): void {
  const run = root
    .command('run')
    .description('look into the past of a run, start another from it, replay it, and keep it as a file');

  callsApi(
    run
      .command('timeline')
      .description('what a run was after every event, at one point of its past, or how two points differ')
      .argument('<runId>', 'a refund, a batch or an agent run')
      .option(
        '--at <point>',
        'of a refund, the state that held then: the number of an event, or a time as ISO 8601',
      )
      .option('--diff <points...>', 'of a refund, two points, and what differs between them')
      .option('--events', "Temporal's own events beside them, where it still has the history"),
  )
    .addHelpText('after', example('run timeline run_7f3a', 'run timeline run_7f3a --diff 3 7'))
    .action(timeline);

  callsApi(
    run
      .command('fork')
      .description('propose a refund anew from a point in the past of a run, with changes; decided anew, too')
      .argument('<runId>')
      .option('--at <point>', 'its inputs as they were then; without it, as they are now')
      .option('--amount <amount>', 'another amount, in major units')
      .option('--reason <reason>', 'another reason')
      .option('--customer <id>', 'another customer')
      .option('--order <id>', 'another order')
      .option('--thread <id>', 'another conversation')
      .option(...onBehalfOf)
      .option('--note <text>', 'another note for whoever approves')
      .option('--evidence <text...>', 'other evidence for whoever approves')
      .option('--without-lines', 'without the lines and the shipping that it names')
      .option('--without-thread', 'in no conversation')
      .option('--idempotency-key <key>', 'names the new refund for good; without it one is made and printed'),
  )
    .addHelpText('after', example('run fork run_7f3a --at 4 --amount 80.00'))
    .action(fork);

  addReplayCommands(run);
}

async function timeline(runId: string, options: TimelineOptions): Promise<void> {
  const { at, diff, events, json } = options;
  if ([at, diff, events].filter((asked) => asked !== undefined).length > 1)
    throw new UsageError('--at, --diff and --events are asked for one at a time');
  const api = connect(options);
  const kind = runKindOf(runId);
  if (kind !== 'refund') {
    if (at !== undefined || diff !== undefined)
      throw new UsageError(
        '--at and --diff are of refunds; of a batch or an agent run the list says what it came to',
      );
    const items = await (kind === 'agent' ? api.runs : api.batches).timeline(runId);
    if (events) return beside(runId, options, items);
    return answer(json, { items, nextCursor: null }, () => transitionsTable(items));
  }
  if (diff !== undefined) {
    const [from, to, ...more] = diff;
    if (from === undefined || to === undefined || more.length > 0)
      throw new UsageError('--diff takes two points, such as --diff 3 7');
    const difference = await api.refunds.difference(runId, from, to);
    return answer(json, difference, () => differenceTable(difference));
  }
  const states = await api.refunds.states(runId, { at });
  if (events) return beside(runId, options, states);
  answer(json, { items: states, nextCursor: null }, () =>
    at === undefined ? statesTable(states) : states.map(statePage).join('\n'),
  );
}

/** Ours, and those that Temporal still has. */
async function beside(
  runId: string,
  options: TimelineOptions,
  states: readonly (PastState | TimelineEntry)[],
): Promise<void> {
  const temporal = temporalOfCommand();
  const { tenant } = await connect(options).self.show();
  const { historyEvents } = await import('../main/run/historyEvents.js');
  const events = await historyEvents(temporal, workflowIdOf(tenant, runId));
  answer(options.json, { states, events }, () => mergedTable(states, events));
}

async function fork(runId: string, options: ForkOptions): Promise<void> {
  const { refunds } = connect(options);
  const origin = await refunds.show(runId);
  const idempotencyKey = options.idempotencyKey ?? `cli-${randomUUID()}`;
  // What is not of its form is refused by the API, with the same code for every door.
  const changes: ForkRequest = {
    at: pointOf(options.at),
    amount:
      options.amount === undefined
        ? undefined
        : { value: options.amount, currency: origin.arguments.amount.currency },
    reason: options.reason as ForkRequest['reason'],
    customerId: options.customer,
    orderId: options.order,
    threadId: options.withoutThread ? null : options.thread,
    onBehalfOf: options.onBehalfOf,
    note: options.note,
    evidence: options.evidence,
    ...(options.withoutLines ? { lines: null, shipping: null } : {}),
  };
  const accepted = await underKey(idempotencyKey, refunds.fork(runId, changes, { idempotencyKey }));
  answer(options.json, { ...accepted, idempotencyKey }, () => forked(accepted, idempotencyKey, origin));
}

/** In a body the number of an event is a number. */
function pointOf(text: string | undefined): PastPoint | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
}
