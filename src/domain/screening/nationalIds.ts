import { findPatterns, type Pattern, type Span } from './span';

const digitsOf = (value: string): number[] => [...value.replace(/[^0-9]/g, '')].map(Number);

/**
 * Numbers that a state gives to a person. Shapes that other numbers share count only with their own check digits
 * or with their name in front.
 */
const patterns: readonly Pattern[] = [
  // United States: social security number, and the taxpayer number that begins with 9
  {
    shape:
      /(?<![0-9a-z]|[0-9]-)(?:(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}|9[0-9]{2}-[5-9][0-9]-[0-9]{4})(?![0-9a-z]|-[0-9])/gi,
  },
  {
    shape:
      /(?<![a-z])(?:ssn|social security|itin)(?: (?:number|no))?[ .:#=-]{0,3}(?:is )?[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4}(?![0-9])/gi,
  },
  // United Kingdom: national insurance number, printed in pairs or named
  {
    shape:
      /(?<![0-9a-z])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] [0-9]{2} [0-9]{2} [0-9]{2} [A-D](?![0-9a-z])/g,
  },
  {
    shape:
      /(?<![a-z])(?:nino|national insurance)(?: (?:number|no))?[ .:#=-]{0,3}(?:is )?[a-z]{2}[0-9]{6}[a-d]\b/gi,
  },
  // Brazil: CPF with its two check digits
  { shape: /(?<![0-9])[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}(?![0-9])/g, holds: isCpf },
  // China: resident identity number with its date and check character
  {
    shape: /(?<![0-9a-z])[1-9][0-9]{5}(?:19|20)[0-9]{2}[01][0-9][0-3][0-9][0-9]{3}[0-9X](?![0-9a-z])/gi,
    holds: isResidentId,
  },
  // Italy: codice fiscale
  { shape: /(?<![0-9a-z])[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z](?![0-9a-z])/gi },
  // France: NIR with its key
  {
    shape:
      /(?<![0-9a-z])[12] ?[0-9]{2} ?(?:0[1-9]|1[0-2]) ?[0-9]{2} ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}(?![0-9a-z])/gi,
    holds: isNir,
  },
  // Only by name: Aadhaar, DNI and NIE, passports, driving licences
  {
    shape:
      /(?<![a-z])(?:aadhaar|aadhar|uidai)(?: (?:number|no|card))?[ .:#=-]{0,3}(?:is )?[2-9][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}\b/gi,
  },
  { shape: /(?<![a-z])(?:dni|nie|nif)[ .:#=-]{0,3}(?:es )?[0-9xyz][ .-]?[0-9]{7}[ -]?[a-z]\b/gi },
  {
    shape:
      /(?<![a-z])(?:passport|pasaporte|passeport|reisepass|passaporto|driving licence|driver'?s licen[cs]e)(?: (?:number|no|numero|nr))?[ .:#=-]{0,3}(?:is |es |est |ist )?([a-z0-9]{6,16})\b/gi,
    holds: (value) => digitsOf(value).length >= 5,
  },
];

/** National ids in folded text. */
export function findNationalIds(text: string): Span[] {
  return findPatterns(text, patterns);
}

function isCpf(value: string): boolean {
  const digits = digitsOf(value);
  if (new Set(digits).size === 1) return false;
  return [9, 10].every((length) => {
    const sum = digits.slice(0, length).reduce((total, digit, i) => total + digit * (length + 1 - i), 0);
    return ((sum * 10) % 11) % 10 === digits[length];
  });
}

function isResidentId(value: string): boolean {
  const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
  const sum = weights.reduce((total, weight, i) => total + weight * Number(value[i]), 0);
  return '10X98765432'[sum % 11] === value[17]?.toUpperCase();
}

function isNir(value: string): boolean {
  const digits = value.replaceAll(' ', '');
  return 97n - (BigInt(digits.slice(0, 13)) % 97n) === BigInt(digits.slice(13));
}
