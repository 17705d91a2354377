import {
  isFinal,
  type AcceptedRefund,
  type Amount,
  type PastChange,
  type PastDifference,
  type PastState,
  type Refund,
  type TimelineEntry,
} from '../client';
import type { HistoryEventView } from '../main/run/historyEvents';
import { amountText } from './amountText';
import { table } from './terminal/table';
import { fields } from './terminal/text';
import { clock, moment } from './terminal/time';

/** One line an event: what the run was after it, and what else it changed. */
export function statesTable(states: readonly PastState[]): string {
  return table(states, [
    { title: 'SEQ', of: ({ seq }) => String(seq) },
    { title: 'TIME', of: ({ at }) => clock(at) },
    { title: 'EVENT', of: ({ event }) => event },
    { title: 'BY', of: ({ actor }) => actor, cut: true },
    { title: 'PHASE', of: ({ state }) => state.phase },
    { title: 'AMOUNT', of: ({ state }) => (state.amount ? amountText(state.amount) : '') },
    { title: 'MONEY', of: ({ state }) => state.money },
    { title: 'VOTES', of: ({ state }) => votesText(state), optional: true },
    { title: 'CHANGED', of: ({ changes }) => changes.map(({ what }) => what).join(' '), cut: true },
  ]);
}

/** One line an event, of what has no states but its transitions. */
export function transitionsTable(entries: readonly TimelineEntry[]): string {
  return table(entries, [
    { title: 'SEQ', of: ({ seq }) => String(seq) },
    { title: 'TIME', of: ({ at }) => clock(at) },
    { title: 'EVENT', of: ({ event }) => event },
    { title: 'BY', of: ({ actor }) => actor, cut: true },
    { title: 'WHY', of: ({ reason }) => reason ?? '', optional: true, cut: true },
    { title: 'CAME TO', of: ({ after }) => (after === null ? '' : JSON.stringify(after)), cut: true },
  ]);
}

export function statePage({ seq, at, actor, event, state, changes }: PastState): string {
  const { approval } = state;
  return [
    `after event ${seq}, ${event} by ${actor}, ${moment(at)}\n`,
    fields([
      ['phase', state.phase],
      ['amount', state.amount && amountText(state.amount)],
      ['proposed by', state.amountBy],
      ['reason', state.reason],
      ['payment', state.paymentId],
      ['money', state.money],
      ['approval', approval && `revision ${approval.revision}, ${approval.status}`],
      ['votes', votesText(state)],
      ['deadline', approval?.deadline],
      ['escalated to', approval?.escalatedTo.join(', ')],
      ['policy', state.policyVersion],
      ['key', state.effectKey],
      ['refund', state.refundId],
      ['needs review', state.review],
      ['code', state.code],
      ['changed', changes.map(({ what }) => what).join(', ')],
    ]),
  ].join('');
}

export function differenceTable({ from, to, changes }: PastDifference): string {
  const head = `from ${from.seq} (${from.event}, ${moment(from.at)}) to ${to.seq} (${to.event}, ${moment(to.at)})\n`;
  if (changes.length === 0) return `${head}Nothing differs.\n`;
  return `${head}\n${table(changes, [
    { title: 'WHAT', of: ({ what }) => what },
    { title: 'BEFORE', of: ({ before }) => valueText(before), cut: true },
    { title: 'AFTER', of: ({ after }) => valueText(after), cut: true },
  ])}`;
}

/** Our events and Temporal's, by time; the two have clocks of their own. */
export function mergedTable(
  states: readonly (PastState | TimelineEntry)[],
  events: readonly HistoryEventView[],
): string {
  const lines = [
    ...states.map((state) => ({
      at: state.at,
      what: state.event,
      by: state.actor,
      phase: 'state' in state ? state.state.phase : '',
      temporal: '',
    })),
    ...events.map(({ at, eventId, type, name }) => ({
      ...{ at, what: '', by: '', phase: '' },
      temporal: `${eventId} ${type}${name === null ? '' : ` ${name}`}`,
    })),
  ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const merged = table(lines, [
    { title: 'TIME', of: ({ at }) => clock(at) },
    { title: 'EVENT', of: ({ what }) => what },
    { title: 'BY', of: ({ by }) => by, optional: true },
    { title: 'PHASE', of: ({ phase }) => phase, optional: true },
    { title: 'TEMPORAL', of: ({ temporal }) => temporal, cut: true },
  ]);
  return events.length > 0 ? merged : `${merged}\nTemporal has no history of this run any more.\n`;
}

export function forked(
  { runId, phase }: AcceptedRefund,
  idempotencyKey: string,
  origin: Pick<Refund, 'runId' | 'phase'>,
): string {
  const goesOn = isFinal(origin.phase)
    ? ''
    : `\n${origin.runId} is ${origin.phase}, and goes on as it does. To end it: countersign refund cancel ${origin.runId}\n`;
  return `${runId} is ${phase}, forked from ${origin.runId}
  idempotency key  ${idempotencyKey} (sent again with the same options, it is the same refund)
${goesOn}
Follow it: countersign refund watch ${runId}
`;
}

function votesText({ approval }: PastState['state']): string {
  if (!approval) return '';
  const { votes, needed } = approval;
  return `${votes?.length ?? '?'} of ${needed ?? '?'}${votes && votes.length > 0 ? ` (${votes.join(', ')})` : ''}`;
}

function valueText(value: PastChange['before']): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return isAmount(value) ? amountText(value) : JSON.stringify(value);
}

function isAmount(value: unknown): value is Amount {
  return typeof value === 'object' && value !== null && 'value' in value && 'currency' in value;
}
