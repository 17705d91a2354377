import type { Difference, DifferenceStatus, Page, Reconciliation } from '../client';
import { more } from './lists';
import { table } from './terminal/table';
import { fields } from './terminal/text';
import { age, clock, moment } from './terminal/time';

export function progressLine({ state, pages, compared, differences }: Reconciliation): string {
  return `${state.padEnd(8)}  ${pages} pages, ${compared} payments compared, ${differences} differences`;
}

export function whatCameOfIt(reconciliation: Reconciliation): string {
  const { id, state, inFlight, errorCode, startedAt, finishedAt } = reconciliation;
  const left =
    inFlight === 0
      ? ''
      : `; ${inFlight} payments on which something had just moved are left for the next time`;
  if (state === 'failed') return `${id} failed: ${errorCode}; see what is down with: countersign doctor\n`;
  return `${id} ran from ${clock(startedAt)} to ${clock(finishedAt ?? startedAt)}${left}\n`;
}

export function differencesText(page: Page<Difference>, status: DifferenceStatus | undefined): string {
  if (page.items.length === 0)
    return status === 'open'
      ? 'Nothing is open: our books and the provider agree, as far as they were compared.\nCompare now: countersign reconcile --now\n'
      : 'There is no such difference.\n';
  return `${page.items.map(differenceText).join('\n')}${more(page)}`;
}

export function differenceText(difference: Difference): string {
  const { id, kind, status, explanation, ours, theirs, runId, dismissedBy, comment } = difference;
  return `${kind}  ${status}  ${id}\n${fields([
    ['what', explanation],
    ['ours', figures(ours)],
    ['theirs', figures(theirs)],
    ['payment', difference.paymentId],
    ['refund', difference.refundId],
    ['run', runId],
    ['first seen', moment(difference.firstSeenAt)],
    ['last seen', moment(difference.lastSeenAt)],
    ['dismissed by', dismissedBy],
    ['comment', comment],
    ['history', `countersign payment history ${difference.paymentId}`],
    ['when settled', status === 'open' ? `countersign reconcile dismiss ${id} --comment …` : null],
  ])}`;
}

function figures(side: Difference['ours']): string {
  if (side === null) return 'nothing';
  return Object.entries(side)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

export function reconciliationList(page: Page<Reconciliation>): string {
  if (page.items.length === 0) return 'There was none yet. Compare now: countersign reconcile --now\n';
  const lines = table(page.items, [
    { title: 'RECONCILIATION', of: ({ id }) => id },
    { title: 'STATE', of: ({ state, errorCode }) => (errorCode === null ? state : `${state}: ${errorCode}`) },
    { title: 'STARTED', of: ({ startedAt }) => age(startedAt) },
    { title: 'BY', of: ({ requestedBy }) => requestedBy, cut: true },
    { title: 'PAGES', of: ({ pages }) => String(pages) },
    { title: 'PAYMENTS', of: ({ compared }) => String(compared) },
    { title: 'IN FLIGHT', of: ({ inFlight }) => String(inFlight), optional: true },
    { title: 'DIFFERENCES', of: ({ differences }) => String(differences) },
  ]);
  return `${lines}${more(page)}`;
}
