import { getCountrySpecifications, isValidIBAN } from 'ibantools';
import { findPatterns, type Pattern, type Span } from './span';

const lengths = new Map(
  Object.entries(getCountrySpecifications()).flatMap(([country, { chars }]) =>
    chars ? [[country, chars]] : [],
  ),
);

const start = /(?:(?<![A-Za-z0-9])|(?<=IBAN))[A-Z][\s-]?[A-Z][\s-]?[0-9][\s-]?[0-9]/gi;
const separator = /[\s\p{Pd}._/]/u;
const alphanumeric = /[A-Za-z0-9]/;

/** Numbers that are account numbers only by what stands before them. */
const named: readonly Pattern[] = [
  {
    shape:
      /(?<![a-z])(?:bank account|bankkonto|kontonummer|cuenta bancaria|compte bancaire|conto corrente|conta bancaria|routing|sort code|aba)[ \t]{0,3}(?:(?:number|no|nr|numero|code)\b)?[ \t.:#=-]{0,4}(?:(?:is|es|est|ist|e)[ \t:]{1,3})?[0-9](?:[ -]?[0-9]){5,17}(?![0-9a-z])/gi,
  },
];

/** IBANs with a right check sum, and account numbers that are named as such, in folded text. */
export function findBankAccounts(text: string): Span[] {
  const found = findPatterns(text, named);
  for (const match of text.matchAll(start)) {
    const span = ibanAt(text, match.index, match[0]);
    if (span) found.push(span);
  }
  return found;
}

function ibanAt(text: string, from: number, beginning: string): Span | undefined {
  const country = beginning.replace(/[^A-Za-z]/g, '').toUpperCase();
  const length = lengths.get(country);
  if (length === undefined) return undefined;
  let iban = '';
  let gap = 0;
  for (let i = from; i < text.length && gap <= 3; i++) {
    const character = text[i] ?? '';
    if (alphanumeric.test(character)) {
      iban += character;
      gap = 0;
    } else if (separator.test(character)) {
      gap += 1;
    } else {
      return undefined;
    }
    if (iban.length === length)
      return isValidIBAN(iban.toUpperCase()) ? { start: from, end: i + 1 } : undefined;
  }
  return undefined;
}
