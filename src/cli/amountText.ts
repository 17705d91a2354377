import type { Amount } from '../client';
import { formatAmount } from '../domain/money/decimal';
import { localizedAmount } from '../domain/money/localized';
import { moneySchema } from '../domain/money/moneySchema';
import { readLocale } from '../main/settings';

/** Always with its currency, and as the reader's own language writes numbers. */
export function amountText({ value, currency }: Amount): string {
  return localizedAmount(value, currency, readLocale());
}

/** Minor units, as audit rows and facts hold them; undefined for anything else. */
export function moneyText(value: unknown): string | undefined {
  const money = moneySchema.safeParse(value);
  if (!money.success) return undefined;
  return amountText({ value: formatAmount(money.data), currency: money.data.currency });
}

/** The few members of an audit row or of facts that fit into a line. */
export function summaryOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .flatMap(([name, member]: [string, unknown]) => {
      if (name.endsWith('Hash')) return [];
      const money = moneyText(member);
      if (money !== undefined) return [name === 'amount' ? money : `${name} ${money}`];
      if (typeof member === 'string' && member !== '') return [`${name} ${member}`];
      return typeof member === 'number' || member === true ? [`${name} ${member}`] : [];
    })
    .join(', ');
}
