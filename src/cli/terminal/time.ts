const units = [
  { name: 'd', ms: 86_400_000, from: 3 },
  { name: 'h', ms: 3_600_000, from: 1 },
  { name: 'min', ms: 60_000, from: 1 },
  { name: 's', ms: 1_000, from: 0 },
] as const;

/** `2 h ago`, `in 71 h`. Hours up to three days, which is how long approvals wait: "2 d" could be 71 h. */
export function age(iso: string, now = Date.now()): string {
  const ms = Date.parse(iso) - now;
  const size = Math.abs(ms);
  const unit = units.find((u) => size >= u.from * u.ms) ?? units[3];
  const text = `${Math.floor(size / unit.ms)} ${unit.name}`;
  return ms > 0 ? `in ${text}` : `${text} ago`;
}

// Swedish writes dates as ISO 8601 does.
const local = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });

const withOffset = new Intl.DateTimeFormat('sv-SE', { timeZoneName: 'longOffset' });

/** In the local time zone, with its age; an hour that happens twice, when clocks are set back, is told with its offset. */
export function moment(iso: string): string {
  const date = new Date(iso);
  const text = local.format(date);
  const happensTwice = [-60, -30, 30, 60].some(
    (minutes) => local.format(new Date(date.getTime() + minutes * 60_000)) === text,
  );
  const offset = happensTwice
    ? withOffset.formatToParts(date).find(({ type }) => type === 'timeZoneName')
    : undefined;
  return `${text}${offset ? ` ${offset.value}` : ''} (${age(iso)})`;
}

/** Time of day in the local time zone. */
export function clock(iso: string): string {
  return local.format(new Date(iso)).slice(11);
}
