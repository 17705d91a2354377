/**
 * A text as screening reads it: one form per character (full-width, superscript and other scripts' digits become
 * 0-9), without accents and without characters that nobody sees.
 */
export interface FoldedText {
  readonly text: string;
  /** The span of the original text that `[start, end)` of the folded one came from. */
  origin(start: number, end: number): { start: number; end: number };
}

const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Me}\p{Noncharacter_Code_Point}]/u;
const accents = /[\u0300-\u036f]/g;
const digit = /\p{Nd}/u;
// eslint-disable-next-line no-control-regex -- the whole of ASCII folds to itself
const plain = /^[\x00-\x7f]*$/;

export function foldText(text: string): FoldedText {
  if (plain.test(text)) return { text, origin: (start, end) => ({ start, end }) };

  const seen = new Map<string, string>();
  const origins: number[] = [];
  let folded = '';
  let offset = 0;
  for (const character of text) {
    let form = character < '\x80' ? character : seen.get(character);
    if (form === undefined) {
      form = foldCharacter(character);
      seen.set(character, form);
    }
    folded += form;
    for (let i = 0; i < form.length; i++) origins.push(offset);
    offset += character.length;
  }

  return {
    text: folded,
    origin(start, end) {
      const first = origins[start] ?? text.length;
      const last = origins[end - 1] ?? text.length;
      const width = (text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1;
      return { start: first, end: Math.min(last + width, text.length) };
    },
  };
}

function foldCharacter(character: string): string {
  if (invisible.test(character)) return '';
  const form = character.normalize('NFKD').replace(accents, '').normalize('NFC');
  return digit.test(form) ? [...form].map(asciiDigit).join('') : form;
}

/** Unicode encodes every script's digits as ten neighbours from zero up, so the distance from zero is the value. */
function asciiDigit(character: string): string {
  if (character < '\x80' || !digit.test(character)) return character;
  const codePoint = character.codePointAt(0) ?? 0;
  let zero = codePoint;
  while (digit.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((codePoint - zero) % 10);
}
