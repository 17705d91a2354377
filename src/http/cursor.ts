import { z } from 'zod';
import { CountersignError } from '../domain/errors';
import { externalId } from '../domain/refund/request';

/** An opaque cursor over a keyset position. */
export function encodeCursor(position: Readonly<Record<string, string>> | null | undefined): string | null {
  return position ? Buffer.from(JSON.stringify(Object.values(position))).toString('base64url') : null;
}

/** A time as PostgreSQL writes it, read strictly: it refuses a thirteenth month with an error of its own. */
export const instant = z.string().refine((text) => {
  const time = text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');
  return (
    /^[12]\d{3}-.*[+-](0\d|1[0-4]):/.test(time) && z.iso.datetime({ offset: true }).safeParse(time).success
  );
});
/** A moment of a query, as people write one. */
export const moment = z.iso
  .datetime({ offset: true })
  .refine((text) => !text.startsWith('0000'), 'there is no year 0')
  .optional();
const pair = z.tuple([instant, externalId]);

/** @throws CountersignError invalid_request for a cursor that no list gave */
export function decodeCursor(cursor: string): [string, string] {
  return decodePosition(pair, cursor);
}

/** As `decodeCursor`, for a list with a position of another shape. */
export function decodePosition<Position>(shape: z.ZodType<Position>, cursor: string): Position {
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw badCursor();
  }
}

export function badCursor(): CountersignError {
  return new CountersignError('invalid_request', 'cursor: take it from nextCursor of an earlier page', {
    issues: [{ path: 'cursor', message: 'not a cursor of this list' }],
  });
}

export const pageQuery = {
  cursor: z.string().max(400).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
};
