import { localizedAmount } from '../domain/money/localized';
import { dayBegins, isTimeZone } from '../domain/time/days';

/** How one person reads times and amounts. */
export interface Reader {
  /** A BCP 47 tag that this process knows. */
  readonly locale: string;
  /** An IANA name. */
  readonly timeZone: string;
  /** Whether he chose the zone, or it is only where none was. */
  readonly chosen: boolean;
}

export function readerOf(acceptLanguage: string | undefined, timeZone: string | null): Reader {
  return {
    locale: localeOf(acceptLanguage),
    timeZone: timeZone !== null && isTimeZone(timeZone) ? timeZone : 'UTC',
    chosen: timeZone !== null,
  };
}

/** The first language of an Accept-Language header that Node can write in. */
function localeOf(header = ''): string {
  const asked = header
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const q = parameters.map((p) => /^\s*q=([\d.]+)$/.exec(p)?.[1]).find((value) => value !== undefined);
      return { tag, q: q === undefined ? 1 : Number(q) };
    })
    .sort((a, b) => b.q - a.q);
  for (const { tag } of asked) {
    try {
      const [known] = Intl.DateTimeFormat.supportedLocalesOf(tag);
      if (known !== undefined) return known;
    } catch {
      // Not a language tag, such as `*`.
    }
  }
  return 'en';
}

export function momentText(iso: string, { locale, timeZone }: Reader): string {
  return new Intl.DateTimeFormat(locale, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  }).format(new Date(iso));
}

/** An amount in major units, as people of that place write it. */
export function amountText(
  { value, currency }: { readonly value: string; readonly currency: string },
  reader: Reader,
): string {
  return localizedAmount(value, currency, reader.locale);
}

const units = [
  { name: 'd', ms: 86_400_000, from: 3 },
  { name: 'h', ms: 3_600_000, from: 1 },
  { name: 'min', ms: 60_000, from: 1 },
] as const;

/** `2 h ago`, `in 71 h`, `now`. assets/live.js counts on in the same way. */
export function ageText(iso: string, now = Date.now()): string {
  const ms = Date.parse(iso) - now;
  const unit = units.find((u) => Math.abs(ms) >= u.from * u.ms);
  if (!unit) return 'now';
  const size = `${Math.floor(Math.abs(ms) / unit.ms)} ${unit.name}`;
  return ms > 0 ? `in ${size}` : `${size} ago`;
}

/** A length of time: `4 min`, `2 h`, `3 d`. */
export function spanText(ms: number): string {
  const unit = units.find((u) => ms >= u.from * u.ms);
  return unit ? `${Math.round(ms / unit.ms)} ${unit.name}` : '< 1 min';
}

/**
 * The first moment of a day where the reader is, as ISO 8601; `next`: of the day after it, so that the day itself is
 * within. What is no day stays as it is, for whoever reads moments.
 */
export function dayText(text: string, { timeZone }: Reader, next = false): string {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (day === undefined) return text;
  const begins = dayBegins(Date.UTC(Number(year), Number(month) - 1, Number(day) + (next ? 1 : 0)), timeZone);
  return Number.isNaN(begins) ? text : new Date(begins).toISOString();
}
