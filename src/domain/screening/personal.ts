import { findPatterns, type Pattern, type Span } from './span';

const patterns: readonly Pattern[] = [
  // Phone numbers: international with a plus, North American, or named
  { shape: /(?<![0-9a-z])\+[0-9](?:[ ().\u2010-\u2015-]{0,3}[0-9]){7,14}(?![0-9])/gi },
  { shape: /(?<![0-9a-z.-])(?:\([0-9]{3}\) ?|[0-9]{3}[-. ])[0-9]{3}[-. ][0-9]{4}(?![0-9a-z]|[-.][0-9])/gi },
  {
    shape:
      /(?<![a-z])(?:phone|mobile|cell|tel|telephone|whatsapp|call me (?:at|on)|telefono|telefone|telefon|handy|numero|ring me on)(?: (?:number|no|nr))?[ .:#=-]{0,3}(?:is |es |est |ist )?\(?[0-9](?:[ ().-]{0,2}[0-9]){6,14}(?![0-9])/gi,
  },
  { shape: /(?:телефон|电话|電話|手机|전화|هاتف|फोन|ফোন)[^0-9]{0,6}\+?[0-9](?:[ ().-]{0,2}[0-9]){6,14}/gu },
  // Postal addresses
  {
    shape:
      /(?<![0-9a-z])[0-9]{1,5}[a-z]?,? (?:[\p{L}'.-]{2,20} ){1,3}(?:street|st|avenue|ave|road|rd|lane|ln|boulevard|blvd|drive|dr|court|ct|square|terrace|close|way)(?![a-z])/giu,
  },
  {
    shape:
      /(?<!\p{L})\p{L}{3,20}(?:strasse|straße|str\.|weg|gasse|platz|straat|laan) ?[0-9]{1,4}(?![0-9])/giu,
  },
  {
    shape:
      /(?<![a-z])(?:rue|avenue|calle|avenida|via|viale|piazza|rua|ulica|ul\.) [\p{L}' .-]{3,40},? ?[0-9]{1,4}(?![0-9])/giu,
  },
  {
    shape:
      /(?<![0-9a-z])[0-9]{1,4},? (?:bis |ter )?(?:rue|avenue|boulevard|place|chemin) (?:de |du |des |la |le )?\p{L}{3,20}/giu,
  },
  { shape: /(?<![a-z])p\.? ?o\.? box [0-9]{1,6}/gi },
  { shape: /(?<![0-9A-Z])[A-Z]{1,2}[0-9][0-9A-Z]? [0-9][ABD-HJLNP-UW-Z]{2}(?![0-9A-Z])/g },
  {
    shape: /(?<![a-z])(?:my|home|postal|shipping|delivery|billing) address(?: is|:) [^\n]{5,120}/gi,
  },
];

const local = /[a-z0-9._%+'-]{1,64}$/iu;
const domain = /^[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,6}\.\p{L}{2,24}/u;

/** E-mail addresses, phone numbers and postal addresses in folded text. */
export function findPersonal(text: string): Span[] {
  return [...findEmails(text), ...findPatterns(text, patterns)];
}

/** Looks around each at sign, so that a long text without one costs nothing. */
function findEmails(text: string): Span[] {
  const found: Span[] = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const before = local.exec(text.slice(Math.max(0, at - 64), at));
    const after = domain.exec(text.slice(at + 1, at + 255));
    if (before && after) found.push({ start: at - before[0].length, end: at + 1 + after[0].length });
  }
  return found;
}
