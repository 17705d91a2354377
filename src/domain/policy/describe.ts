import type { PolicyDocument } from './document';

type Tiers = PolicyDocument['otherCurrencies'];

/** The table in plain words: what is settled, and how. */
export function describeTable(table: PolicyDocument): ReadonlyMap<string, string> {
  const { dailyAutomaticCap: cap, escalation, remindersHours } = table;
  return new Map([
    ...Object.entries(table.tiers).map(([currency, tiers]) => [currency, tiersInWords(tiers)] as const),
    ['other currencies', tiersInWords(table.otherCurrencies)],
    ['approvers', table.approverGroup],
    ['reviews', `settled by ${table.reviewGroup}`],
    ['refund window', hours(table.refundWindowHours)],
    ['split requests', `count together over ${hours(table.aggregateWindowHours)}`],
    ['automatic refunds a day', `up to ${cap.principal} for one principal, ${cap.tenant} for the tenant`],
    ['reminders', remindersHours.length === 0 ? 'none' : `after ${remindersHours.map(hours).join(', ')}`],
    ['escalation', escalation ? `to ${escalation.toGroup} after ${hours(escalation.afterHours)}` : 'none'],
    ['expiry', `after ${hours(table.expiryHours)}`],
    ...handlingInWords(table),
    ...otherFields(table),
  ]);
}

const described: ReadonlySet<string> = new Set<keyof PolicyDocument>([
  'approverGroup',
  'reviewGroup',
  'tiers',
  'otherCurrencies',
  'refundWindowHours',
  'aggregateWindowHours',
  'dailyAutomaticCap',
  'remindersHours',
  'escalation',
  'expiryHours',
  'infoPauseHours',
  'claimMinutes',
  'delegateTo',
  'graceAfterOutageHours',
  'outageAfterMinutes',
]);

/** Only what this policy says of its own. */
function handlingInWords(table: PolicyDocument): [string, string][] {
  const { infoPauseHours, claimMinutes, delegateTo, graceAfterOutageHours, outageAfterMinutes } = table;
  return [
    ...said('questions', infoPauseHours, (of) => `stop the clock for up to ${hours(of)} in all`),
    ...said('claims', claimMinutes, (of) => `last ${of} minutes`),
    ...said('delegation', delegateTo, (of) => `also to members of ${of.join(', ')}`),
    ...said('after an outage', graceAfterOutageHours, (of) => `at least ${hours(of)} are left, once`),
    ...said('an outage', outageAfterMinutes, (of) => `is what was late by ${of} minutes`),
  ];
}

function said<Value>(
  subject: string,
  value: Value | undefined,
  inWords: (value: Value) => string,
): [string, string][] {
  return value === undefined ? [] : [[subject, inWords(value)]];
}

/** A field that has no words of its own is shown as it is, rather than left out of a comparison. */
function otherFields(table: PolicyDocument): [string, string][] {
  return Object.entries(table)
    .filter(([name]) => !described.has(name))
    .map(([name, value]) => [name, JSON.stringify(value)]);
}

/** One sentence for each thing that is settled otherwise. */
export function tableChanges(before: PolicyDocument, after: PolicyDocument): string[] {
  const [was, is] = [describeTable(before), describeTable(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((subject) => was.get(subject) !== is.get(subject))
    .map((subject) => {
      const [old, now] = [was.get(subject), is.get(subject)];
      if (old === undefined) return `${subject}: ${now} (new)`;
      return now === undefined
        ? `${subject}: no longer listed; was ${old}`
        : `${subject}: ${now}; was ${old}`;
    });
}

function tiersInWords(tiers: Tiers): string {
  return tiers
    .map(({ upTo, approvers, oneFrom }) => {
      const reach = upTo === undefined ? (tiers.length === 1 ? 'any amount' : 'above') : `up to ${upTo}`;
      const count = approvers === 0 ? 'automatic' : approvers === 1 ? '1 approver' : `${approvers} approvers`;
      return `${reach} ${count}${oneFrom === undefined ? '' : `, one from ${oneFrom}`}`;
    })
    .join('; ');
}

function hours(count: number): string {
  return count >= 72 && count % 24 === 0 ? `${count / 24} days` : `${count} h`;
}
