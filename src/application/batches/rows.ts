import { setImmediate } from 'node:timers/promises';
import {
  issueOf,
  readDocumentRow,
  readRefundRow,
  repeatedRows,
  type RawRow,
  type ReadRefundRow,
  type RowIssue,
} from '../../domain/batch/row';
import { CountersignError } from '../../domain/errors';
import type { NewItem } from '../../ports/batches';
import { fingerprintOf, idFrom, refuseSensitiveBody } from '../intake';
import { prepareDocument } from '../knowledge';

export interface CheckedRows {
  /** Rows that are as they should be. */
  readonly items: readonly NewItem[];
  readonly issues: readonly RowIssue[];
  /** Those of refunds as they were read. */
  readonly read: readonly ReadRefundRow[];
}

interface Whose {
  readonly tenant: string;
  readonly batchId: string;
  readonly onBehalfOf: string | undefined;
}

/** Other callers are answered between so many rows. */
const rowsAtOnce = 50;

/**
 * Everything about the rows of a file that is known without the provider: their form, what must not be stored, and rows
 * that ask for the same. What is refused of a row is its issue, and never its text.
 */
export async function checkRefundRows(rows: readonly RawRow[], whose: Whose): Promise<CheckedRows> {
  const issues: RowIssue[] = [];
  const read: ReadRefundRow[] = [];
  for (const [index, raw] of rows.entries()) {
    if (index % rowsAtOnce === 0) await setImmediate();
    const found = readRefundRow(index + 1, raw);
    if (Array.isArray(found)) issues.push(...found);
    else if (refusedBy(found.row, () => refuseSensitiveBody(found.key ?? '', found.body), issues))
      read.push(found);
  }
  issues.push(...repeatedRows(read));
  const refused = new Set(issues.map(({ row }) => row));
  const good = read.filter(({ row }) => !refused.has(row));
  return { read: good, items: good.map((row) => itemOf(row, whose)), issues: inOrder(issues) };
}

/** Documents as `POST /v1/knowledge` takes them; one name twice is the second time an issue. */
export async function checkDocumentRows(rows: readonly RawRow[], by: string): Promise<CheckedRows> {
  const issues: RowIssue[] = [];
  const items: NewItem[] = [];
  const named = new Map<string, number>();
  for (const [index, raw] of rows.entries()) {
    if (index % rowsAtOnce === 0) await setImmediate();
    const found = readDocumentRow(index + 1, raw);
    if (Array.isArray(found)) {
      issues.push(...found);
      continue;
    }
    const { row, body } = found;
    const before = named.get(body.document);
    if (before !== undefined) {
      const detail = `the same document as row ${before}`;
      issues.push({ row, field: 'document', code: 'batch_row_repeated', detail });
    } else if (refusedBy(row, () => prepareDocument(body, by), issues)) {
      named.set(body.document, row);
      items.push({ row, name: body.document, document: body });
    }
  }
  return { read: [], items, issues: inOrder(issues) };
}

/** @returns whether nothing was refused */
function refusedBy(row: number, check: () => unknown, issues: RowIssue[]): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    issues.push(issueOf(row, error));
    return false;
  }
}

function itemOf({ row, key, body, request }: ReadRefundRow, { tenant, batchId, onBehalfOf }: Whose): NewItem {
  // No caller's key has a space, so none is the row's.
  const name = key ?? `${batchId} ${row}`;
  const { paymentId: _compared, ...rest } = {
    ...request,
    ...(onBehalfOf === undefined ? {} : { onBehalfOf }),
  };
  return {
    row,
    name: key ?? null,
    runId: idFrom('run', tenant, name),
    fingerprint: fingerprintOf({ ...rest, note: body.note }),
    refund: { key: name, request, ...(body.note === undefined ? {} : { note: body.note }) },
  };
}

function inOrder(issues: readonly RowIssue[]): RowIssue[] {
  return [...issues].sort((a, b) => a.row - b.row);
}
