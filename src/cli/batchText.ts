import type { Batch, BatchItem } from '../client';
import { amountText } from './amountText';
import { table } from './terminal/table';
import { fields } from './terminal/text';
import { age, moment } from './terminal/time';

/** Rows by what has become of them; those that there are none of are left out. */
export function countsText({ counts }: Batch): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([outcome, count]) => `${count} ${outcome.replaceAll('_', ' ')}`).join(', ');
}

export function progressLine(batch: Batch): string {
  const paused = batch.paused ? ` (paused by ${batch.paused.by})` : '';
  return `${batch.state.replaceAll('_', ' ')}${paused}: ${countsText(batch)}`;
}

export function batchPage(batch: Batch): string {
  const { batchId, summary, approval } = batch;
  return `${batchId}  ${progressLine(batch)}\n${fields([
    ['rows', String(batch.rows)],
    ['asks for', batch.asked && amountText(batch.asked)],
    [
      'may run',
      summary && `${summary.count} refunds of ${summary.payments} payments, ${amountText(summary.sum)}`,
    ],
    [
      'amounts',
      summary && summary.count > 0
        ? `${amountText(summary.smallest)} to ${amountText(summary.largest)}, median ${amountText(summary.median)}`
        : null,
    ],
    [
      'outliers',
      summary && summary.outlierCount > 0
        ? `${summary.outlierCount}: ${summary.outliers.map(({ row, amount }) => `row ${row} ${amountText(amount)}`).join(', ')}`
        : null,
    ],
    [
      'approval',
      approval && `${approval.id}: ${approval.status}, ${approval.votes} of ${approval.needed} votes`,
    ],
    ['kill switch', batch.brake && `pulled by ${batch.brake.actor}: ${batch.brake.reason}`],
    ['cancelled by', batch.cancelledBy],
    ['requested by', batch.requester],
    ['requested', moment(batch.createdAt)],
    ['ended', batch.endedAt && moment(batch.endedAt)],
    ['next', nextOf(batch)],
  ])}`;
}

function nextOf({ state, batchId, approval, paused }: Batch): string | null {
  if (state === 'waiting_approval' && approval) return `countersign approvals show ${approval.id}`;
  if (paused) return `countersign batch resume ${batchId}`;
  if (state === 'completed' || state === 'cancelled') return `countersign batch result ${batchId}`;
  return null;
}

export function itemTable(items: readonly BatchItem[], { counts, batchId }: Batch): string {
  const rest = counts.left_out - items.length;
  const lines = table(items, [
    { title: 'ROW', of: ({ row }) => String(row) },
    { title: 'CODE', of: ({ code }) => code ?? '' },
    { title: 'LEFT OUT BECAUSE', of: ({ detail }) => detail ?? '', cut: true },
  ]);
  return `\n${lines}${rest > 0 ? `and ${rest} more: countersign batch result ${batchId}\n` : ''}`;
}

export function batchTable(batches: readonly Batch[]): string {
  if (batches.length === 0) return 'There is no batch. Send one: countersign batch start <file>\n';
  return table(batches, [
    { title: 'BATCH', of: ({ batchId }) => batchId },
    { title: 'STATE', of: ({ state, paused }) => (paused ? `${state}, paused` : state).replaceAll('_', ' ') },
    { title: 'ROWS', of: ({ rows }) => String(rows) },
    { title: 'STARTED', of: ({ createdAt }) => age(createdAt) },
    { title: 'BY', of: ({ requester }) => requester, cut: true },
  ]);
}
