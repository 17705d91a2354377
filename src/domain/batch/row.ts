import type { z } from 'zod';
import { CountersignError, type ErrorCode } from '../errors';
import { documentBody, type DocumentBody } from '../knowledge/document';
import { toProviderAmount } from '../money/providerAmounts';
import { externalId, parseRefundRequest, refundBody, type RefundRequest } from '../refund/request';

/** The most rows of one batch. */
export const mostRows = 10_000;

/** One refund of a file: the body of `POST /v1/refunds`, and the key under which it is asked for once. */
export const refundRow = refundBody
  .omit({ onBehalfOf: true, threadId: true })
  .extend({ key: externalId.max(200).optional() });
export type RefundRow = z.infer<typeof refundRow>;

/** What is wrong with one row. `row` counts from 1, without a file's line of names. */
export interface RowIssue {
  readonly row: number;
  readonly field: string | null;
  readonly code: ErrorCode;
  /** What is wrong and what to do; never what stands in the field. */
  readonly detail: string;
}

/** A row as a door reads it from its file: a value, or why there is none. */
export type RawRow = { readonly value: unknown } | { readonly unreadable: string };

export interface ReadRefundRow {
  readonly row: number;
  readonly key?: string;
  readonly body: Omit<RefundRow, 'key'>;
  readonly request: RefundRequest;
}

/** @returns the refund that the row asks for, or everything that is wrong with it */
export function readRefundRow(row: number, raw: RawRow): ReadRefundRow | RowIssue[] {
  const parsed = parsedBy(refundRow, row, raw);
  if (Array.isArray(parsed)) return parsed;
  const { key, ...body } = parsed;
  try {
    const request = parseRefundRequest(body);
    toProviderAmount(request.amount);
    return { row, body, request, ...(key === undefined ? {} : { key }) };
  } catch (error) {
    return [issueOf(row, error, 'amount')];
  }
}

export interface ReadDocumentRow {
  readonly row: number;
  readonly body: DocumentBody;
}

export function readDocumentRow(row: number, raw: RawRow): ReadDocumentRow | RowIssue[] {
  const parsed = parsedBy(documentBody, row, raw);
  return Array.isArray(parsed) ? parsed : { row, body: parsed };
}

/** @throws whatever is no refusal of the catalogue */
export function issueOf(row: number, error: unknown, otherwise: string | null = null): RowIssue {
  if (!(error instanceof CountersignError)) throw error;
  const [first] = Array.isArray(error.details['issues'])
    ? (error.details['issues'] as { path: string }[])
    : [];
  const named = error.details['field'];
  const field = first?.path ?? (typeof named === 'string' ? named : otherwise);
  return { row, field, code: error.code, detail: error.detail };
}

function parsedBy<Schema extends z.ZodType>(
  schema: Schema,
  row: number,
  raw: RawRow,
): z.infer<Schema> | RowIssue[] {
  if ('unreadable' in raw) return [{ row, field: null, code: 'invalid_request', detail: raw.unreadable }];
  const parsed = schema.safeParse(raw.value);
  if (parsed.success) return parsed.data;
  return parsed.error.issues.map(({ path, message }) => ({
    row,
    field: path.length === 0 ? null : path.join('.'),
    code: 'invalid_request',
    detail: message,
  }));
}

/**
 * Rows that ask for what an earlier row of the file asks for: the same key; or the same payment, amount and order,
 * unless both have keys of their own, which say that two refunds are meant (R2).
 */
export function repeatedRows(rows: readonly ReadRefundRow[]): RowIssue[] {
  const byKey = new Map<string, number>();
  const byContent = new Map<string, { row: number; keyed: boolean }>();
  const issues: RowIssue[] = [];
  for (const { row, key, request } of rows) {
    const content = JSON.stringify([
      request.paymentId,
      request.amount.minor,
      request.amount.currency,
      request.orderId ?? null,
      request.lines ?? null,
    ]);
    const sameKey = key === undefined ? undefined : byKey.get(key);
    const same = byContent.get(content);
    if (sameKey !== undefined) issues.push(repeated(row, 'key', `the same key as row ${sameKey}`));
    else if (same && !(same.keyed && key !== undefined))
      issues.push(
        repeated(
          row,
          'paymentId',
          `the same payment, amount and order as row ${same.row}; take it out, or give both rows a key where two refunds are meant`,
        ),
      );
    if (key !== undefined && sameKey === undefined) byKey.set(key, row);
    if (!same) byContent.set(content, { row, keyed: key !== undefined });
  }
  return issues;
}

function repeated(row: number, field: string, detail: string): RowIssue {
  return { row, field, code: 'batch_row_repeated', detail };
}
