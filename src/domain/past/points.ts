import { z } from 'zod';
import { CountersignError } from '../errors';
import type { PastStep, Transition } from './states';

/** A point in a run's past: the number of an event, or a moment as ISO 8601 with a time zone. */
export const pastPoint = z.union([
  z.int().min(1).max(2_147_483_647),
  z.iso.datetime({ offset: true }).refine((text) => !text.startsWith('0000'), 'there is no year 0'),
]);
export type PastPoint = z.infer<typeof pastPoint>;

/** The same in a query, where a number is text. */
export const pastPointText = z
  .string()
  .transform((text) => (/^\d{1,10}$/.test(text) ? Number(text) : text))
  .pipe(pastPoint);

/**
 * The state that held at that point: after the event of that number, or after the last one that had happened by then.
 * @throws CountersignError invalid_request that names `field`, for a point that the run has not had
 */
export function stepAt<Row extends Transition>(
  steps: readonly PastStep<Row>[],
  point: PastPoint,
  field: string,
): PastStep<Row> {
  const found =
    typeof point === 'number'
      ? steps.find(({ transition }) => transition.seq === point)
      : steps.findLast(({ transition }) => transition.at <= Date.parse(point));
  if (found) return found;
  const message =
    typeof point === 'number'
      ? `there are ${steps.length} events so far`
      : 'the run had not been asked for by then';
  throw new CountersignError('invalid_request', `${field}: ${message}`, {
    issues: [{ path: field, message }],
  });
}

export interface Change {
  /** Which member, such as `approval.votes`. */
  readonly what: string;
  readonly before: unknown;
  readonly after: unknown;
}

type Members = Readonly<Record<string, unknown>>;

/** Every member in which two states differ, in the order in which they stand there. */
export function differencesOf(before: Members | undefined, after: Members): Change[] {
  const [was, is] = [flat(before ?? {}), flat(after)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((what) => {
    const [one, other] = [was[what] ?? null, is[what] ?? null];
    return JSON.stringify(one) === JSON.stringify(other) ? [] : [{ what, before: one, after: other }];
  });
}

/** What has parts is compared part by part; an amount is one thing. */
function flat(members: Members, under = ''): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      isRecord(value) && !('currency' in value)
        ? Object.entries(flat(value, `${under}${name}.`))
        : [[`${under}${name}`, value]],
    ),
  );
}

function isRecord(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
