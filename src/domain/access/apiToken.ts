/**
 * An API token: `cs_`, at least 20 letters, digits, `_` or `-`, and six more that check the rest. A typo or a token
 * that was cut is known without asking the database, and a scanner of repositories can tell one from chance.
 */
const shape = /^cs_[A-Za-z0-9_-]{20,200}$/;
const checkLength = 6;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `random`: 32 bytes or more of a cryptographic source. A byte is taken where it is no more likely than others. */
export function tokenFrom(random: Uint8Array): string {
  const body = [...random]
    .filter((byte) => byte < alphabet.length * 4)
    .map((byte) => alphabet[byte % alphabet.length])
    .join('');
  return withCheck(`cs_${body}`);
}

export function withCheck(start: string): string {
  return `${start}${checkOf(start)}`;
}

export function isTokenFormed(token: string): boolean {
  return shape.test(token) && checkOf(token.slice(0, -checkLength)) === token.slice(-checkLength);
}

function checkOf(text: string): string {
  let rest = crc32(text);
  let check = '';
  for (let i = 0; i < checkLength; i += 1) {
    check = `${alphabet[rest % alphabet.length] ?? ''}${check}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return check;
}

/** The checksum of ISO 3309, over ASCII. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i += 1) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
