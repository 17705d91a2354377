import { creditCardType } from 'card-validator';

/** Prefixes from `from` to `to`, of as many digits as `from` has. */
interface PrefixRange {
  readonly digits: number;
  readonly from: number;
  readonly to: number;
}

/** Brands that card-validator's table lacks, all of 16 digits: RuPay, Uzcard, Humo. */
const furtherPrefixes = [60, 65, 81, 82, 508, 8600, 9860];

/** The table gives Maestro every number that begins with 6, which no issuer range does. */
const tooWide = 6;

/** By length and first digit, since most numbers are ruled out by these two. */
const ranges = new Map<string, PrefixRange[]>();

function register(pattern: number | readonly number[], length: number): void {
  const [from = 0, to = from] = typeof pattern === 'number' ? [pattern] : pattern;
  const range = { digits: String(from).length, from, to };
  for (let first = Number(String(from)[0]); first <= Number(String(to)[0]); first++) {
    const key = `${length}:${first}`;
    ranges.set(key, [...(ranges.get(key) ?? []), range]);
  }
}

for (const brand of Object.values(creditCardType.types)) {
  const { patterns, lengths } = creditCardType.getTypeInfo(brand);
  for (const pattern of patterns) {
    if (pattern !== tooWide) for (const length of lengths) register(pattern, length);
  }
}
for (const prefix of furtherPrefixes) register(prefix, 16);
register(4, 13);

/** Whether some brand issues numbers of this length with this prefix. @param digits ASCII digits only */
export function hasBrand(digits: string): boolean {
  const candidates = ranges.get(`${digits.length}:${digits[0] ?? ''}`) ?? [];
  return candidates.some((range) => {
    const prefix = Number(digits.slice(0, range.digits));
    return prefix >= range.from && prefix <= range.to;
  });
}
