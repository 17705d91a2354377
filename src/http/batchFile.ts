import { CsvError, parse } from 'csv-parse/sync';
import type { RawRow } from '../domain/batch/row';
import { CountersignError } from '../domain/errors';
import { readJson, type ApiContext } from './context';

/** Of a file of thousands of rows, bytes; documents stand in it whole. */
export const maxBatchBytes = 32 * 1024 * 1024;
const maxRowBytes = 4 * 1024 * 1024;

/** The columns of a file of refunds; those that are no column of a row's own make up its amount. */
export const csvColumns = [
  'key',
  'paymentId',
  'amount',
  'currency',
  'reason',
  'customerId',
  'orderId',
  'note',
] as const;

export const batchMediaTypes = ['text/csv', 'application/x-ndjson', 'application/json'] as const;

/**
 * The rows of the file that a request carries: CSV with a line of names, one JSON object a line, or `{items: […]}`.
 * A row that can't be read is one row's issue; where the file as a whole can't be, it is refused.
 * @throws CountersignError unsupported_media_type, malformed_json, invalid_request
 */
export async function rowsOf(c: ApiContext): Promise<RawRow[]> {
  switch (c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()) {
    case 'text/csv':
      return rowsOfCsv(await c.req.text());
    case 'application/x-ndjson':
      return rowsOfLines(await c.req.text());
    case 'application/json': {
      const body = await readJson(c);
      const items = typeof body === 'object' && body !== null && 'items' in body ? body.items : undefined;
      if (!Array.isArray(items)) throw invalid('items', 'items: a list of rows is wanted');
      return items.map((value: unknown) => ({ value }));
    }
    default:
      throw new CountersignError('unsupported_media_type', `Send ${batchMediaTypes.join(', ')}.`);
  }
}

export function rowsOfLines(text: string): RawRow[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      try {
        return { value: JSON.parse(line) as unknown };
      } catch {
        return { unreadable: 'the line is not JSON; write one object a line' };
      }
    });
}

export function rowsOfCsv(text: string): RawRow[] {
  const [names = [], ...rows] = recordsOf(text);
  for (const [index, name] of names.entries()) {
    if (!(csvColumns as readonly string[]).includes(name))
      throw invalid(name, `column ${index + 1} of the first line is none of ${csvColumns.join(', ')}`);
    if (names.indexOf(name) !== index) throw invalid(name, `the column ${name} stands there twice`);
  }
  return rows.map((cells) => {
    if (cells.length !== names.length)
      return {
        unreadable: `the row has ${cells.length} fields, the first line ${names.length}; quote fields with commas`,
      };
    const filled = names.flatMap((name, index): [string, string][] => {
      const cell = cells[index] ?? '';
      return cell === '' ? [] : [[name, cell]];
    });
    const { amount, currency, ...row } = Object.fromEntries(filled);
    const money =
      amount === undefined && currency === undefined ? {} : { amount: { value: amount, currency } };
    return { value: { ...row, ...money } };
  });
}

function recordsOf(text: string): string[][] {
  try {
    return parse(text, {
      bom: true,
      skip_empty_lines: true,
      trim: true,
      relax_column_count: true,
      max_record_size: maxRowBytes,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalid(
      'file',
      `the file is no CSV from line ${String(error['lines'])} on: a quote is not where it belongs`,
    );
  }
}

function invalid(path: string, message: string): CountersignError {
  return new CountersignError('invalid_request', message, { issues: [{ path, message }] });
}
