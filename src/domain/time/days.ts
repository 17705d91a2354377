/** Days as people count them: where they are. Pure: what `Intl` knows of time zones is the same in every process of a version. */

const dayMs = 86_400_000;

export interface Day {
  /** Such as `2026-10-25`. */
  readonly date: string;
  /** Its first moment, ms since the epoch; the next day's is its end. */
  readonly from: number;
}

/** Whether it is a name of the IANA time zone database; an offset such as `+02:00` is none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The first moment of a day, ms; `date`: the day's midnight as if it were UTC. NaN for what is no day. */
export function dayBegins(date: number, timeZone: string): number {
  if (Number.isNaN(date)) return date;
  // By the clocks of the day before or of the day after: near a change only one is right, and midnight may be twice or never.
  const starts = [-dayMs, dayMs].map((near) => date - aheadMs(date + near, timeZone));
  const within = starts.filter((at) => dateAt(at, timeZone) === date);
  return Math.min(...(within.length > 0 ? within : starts));
}

/** The last days, oldest first, up to the one of `now`, ms. */
export function lastDays(count: number, now: number, timeZone: string): Day[] {
  const today = dateAt(now, timeZone);
  return Array.from({ length: count }, (_, i) => today - (count - 1 - i) * dayMs).map((date) => ({
    date: new Date(date).toISOString().slice(0, 10),
    from: dayBegins(date, timeZone),
  }));
}

/** What day it is, as the midnight of that day in UTC. */
function dateAt(at: number, timeZone: string): number {
  return Math.floor((at + aheadMs(at, timeZone)) / dayMs) * dayMs;
}

/** How far a zone's clocks are ahead of UTC at a moment, ms. */
function aheadMs(at: number, timeZone: string): number {
  const parts = clock(timeZone).formatToParts(at);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return shown - Math.floor(at / 1_000) * 1_000;
}

function clock(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
}
