import luhn from 'fast-luhn';
import { hasBrand } from './cardBrands';
import { barrier } from './ids';
import type { Span } from './span';

const shortest = 12;
const longest = 19;

interface Group {
  readonly start: number;
  readonly end: number;
  /** How this group hangs on the one before: not at all, by space or dash, or by any other signs. */
  readonly joint: 'none' | 'soft' | 'hard';
}

const softJoint = /^[\s\p{Pd}\u2212_]{1,8}$/u;
const hardJoint = /^[^\p{L}\p{N}]{1,3}$/u;

/**
 * Card numbers in folded text: digits that pass the Luhn check and have the prefix and length of a brand,
 * also when they are separated. Groups as cards are printed are found anywhere; odd groups only when the
 * whole row of digits is one number, since lists of small numbers would look like cards by chance.
 */
export function findCards(text: string): Span[] {
  const groups = digitGroups(text);
  const found: Span[] = [];
  let row = 0;
  for (let first = 0; first < groups.length; first++) {
    if (groups[first]?.joint !== 'soft') row = first;
    const last = lastOfCard(text, groups, first, row === first);
    if (last === undefined) continue;
    found.push({ start: groups[first]?.start ?? 0, end: groups[last]?.end ?? 0 });
    first = last;
  }
  return found;
}

/** The longest card that begins with group `first`. */
function lastOfCard(text: string, groups: Group[], first: number, startsRow: boolean): number | undefined {
  let digits = '';
  let softOnly = true;
  let best: number | undefined;
  const sizes: number[] = [];
  for (let last = first; last < groups.length; last++) {
    const group = groups[last];
    if (group === undefined || (last > first && group.joint === 'none')) break;
    if (group.end - group.start > longest - digits.length) break;
    if (last > first && group.joint === 'hard') softOnly = false;
    digits += text.slice(group.start, group.end);
    sizes.push(group.end - group.start);
    if (digits.length < shortest) continue;
    const wholeRow = startsRow && softOnly && groups[last + 1]?.joint !== 'soft';
    if (!isCardNumber(digits) || !(wholeRow || printedAsCard(sizes))) continue;
    if (isPartOfId(text, groups[first]?.start ?? 0, group.end)) continue;
    if (isPhone(text, groups[first]?.start ?? 0, digits)) continue;
    best = last;
  }
  return best;
}

function printedAsCard(sizes: readonly number[]): boolean {
  if (sizes.length === 1) return true;
  const shape = sizes.join('-');
  if (['4-6-5', '4-6-4', '4-5-6', '8-8', '6-13', '4-4-4-5'].includes(shape)) return true;
  const size = sizes[0] ?? 0;
  if (size !== 4 && size !== 1) return false;
  return sizes.slice(0, -1).every((other) => other === size) && (sizes.at(-1) ?? 0) <= size;
}

function digitGroups(text: string): Group[] {
  const groups: Group[] = [];
  let end = 0;
  for (const match of text.matchAll(/[0-9]+/g)) {
    groups.push({
      start: match.index,
      end: match.index + match[0].length,
      joint: jointOf(text, end, match.index),
    });
    end = match.index + match[0].length;
  }
  return groups;
}

function jointOf(text: string, from: number, to: number): Group['joint'] {
  if (from === 0 || to - from > 8) return 'none';
  const between = text.slice(from, to);
  if (between.includes(barrier)) return 'none';
  if (softJoint.test(between)) return 'soft';
  return hardJoint.test(between) ? 'hard' : 'none';
}

/** @param digits ASCII digits only */
export function isCardNumber(digits: string): boolean {
  if (digits.length < shortest || digits.length > longest || !luhn(digits) || !hasBrand(digits)) return false;
  // Visa once had 13 digits; so have article numbers, which carry a check digit of their own.
  return digits.length !== 13 || !isArticleNumber(digits);
}

function isArticleNumber(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += Number(digits[i]) * (i % 2 === 0 ? 1 : 3);
  return sum % 10 === 0;
}

/** Letters and digits that alternate are a hash or an id; letters at one end only are a word glued to a number. */
function isPartOfId(text: string, start: number, end: number): boolean {
  let before = start;
  while (before > 0 && start - before < 32 && isLetter(text[before - 1])) before -= 1;
  let after = end;
  while (after - end < 32 && isLetter(text[after])) after += 1;
  return (before < start && isDigit(text[before - 1])) || (after > end && isDigit(text[after]));
}

/** E.164 numbers begin with a plus and have hardly ever more than 13 digits. */
function isPhone(text: string, start: number, digits: string): boolean {
  return digits.length <= 13 && text[start - 1] === '+';
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[a-z]/i.test(character);
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}
