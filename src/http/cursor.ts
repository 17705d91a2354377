import { z } from 'zod';
import { CountersignError } from '../domain/errors';

/** An opaque cursor over a keyset position. */
export function encodeCursor(position: Readonly<Record<string, string>> | null | undefined): string | null {
  return position ? Buffer.from(JSON.stringify(Object.values(position))).toString('base64url') : null;
}

const pair = z.tuple([
  z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d)?$/),
  z.string().min(1).max(128),
]);

/** @throws CountersignError invalid_request for a cursor that no list gave */
export function decodeCursor(cursor: string): [string, string] {
  try {
    return pair.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new CountersignError('invalid_request', 'cursor: take it from nextCursor of an earlier page', {
      issues: [{ path: 'cursor', message: 'not a cursor of this list' }],
    });
  }
}

export const pageQuery = {
  cursor: z.string().max(400).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
};
