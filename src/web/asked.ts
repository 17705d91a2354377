import { CountersignError } from '../domain/errors';
import type { WebContext } from './context';
import { dayText, type Reader } from './reader';

/** What an address asks for. Empty fields of a form are fields that were not filled in. */
export type Asked = Readonly<Record<string, string>>;

export function askedOf(c: WebContext): Asked {
  // What a stream of events has seen asks for nothing.
  const { seen: _seen, ...query } = c.req.query();
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, value.trim()]])),
  );
}

export function queryOf(asked: Readonly<Partial<Record<string, string>>>): string {
  return new URLSearchParams(asked as Record<string, string>).toString();
}

/** Days are those where the reader is; `to` is within. */
export function withDays(asked: Asked, reader: Reader): Asked {
  const { from, to, ...rest } = asked;
  return {
    ...rest,
    ...(from === undefined ? {} : { from: dayText(from, reader) }),
    ...(to === undefined ? {} : { to: dayText(to, reader, true) }),
  };
}

/** A part of the address. No id has a NUL, and PostgreSQL refuses to compare with one. @throws CountersignError not_found */
export function pathPart(c: WebContext, name: string): string {
  const part = c.req.param(name) ?? '';
  if (part.includes('\u0000')) throw new CountersignError('not_found');
  return part;
}

/**
 * What was asked, answered; or, where it can't be read, why.
 * @throws whatever else `answer` throws
 */
export async function answered<Found>(
  answer: () => Promise<Found>,
): Promise<
  | { readonly found: Found; readonly wrong?: undefined }
  | { readonly found?: undefined; readonly wrong: string }
> {
  try {
    return { found: await answer() };
  } catch (error) {
    if (!(error instanceof CountersignError) || error.status !== 422) throw error;
    return { wrong: error.detail };
  }
}
