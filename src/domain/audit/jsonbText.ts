/** A JSON value as PostgreSQL writes a `jsonb`: keys by length and then by bytes, one space after `:` and `,`. */
export function jsonbText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => compareKeys(a, b));
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}: ${jsonbText(member)}`).join(', ')}}`;
  }
  return JSON.stringify(value);
}

function compareKeys(a: string, b: string): number {
  const [left, right] = [utf8(a), utf8(b)];
  if (left.length !== right.length) return left.length - right.length;
  const at = left.findIndex((byte, i) => byte !== right[i]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

/** Escaped by the language itself, so that no encoder of a platform is needed. */
function utf8(text: string): number[] {
  return [...encodeURIComponent(text).matchAll(/%([0-9A-F]{2})|(.)/g)].map(([, hex, plain]) =>
    hex === undefined ? (plain ?? '').charCodeAt(0) : Number.parseInt(hex, 16),
  );
}
