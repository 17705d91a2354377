/** Text of somebody else, on a terminal: no escape sequences, no direction marks, one line. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** Cut to `width` characters, with … where something is missing. */
export function cut(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  return `${characters.slice(0, Math.max(width - 1, 0)).join('')}…`;
}

/** Columns of the terminal; nothing is cut where the output is not a terminal. */
export function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
}

/** `name  value` lines under a heading; what has no value is left out. */
export function fields(pairs: readonly (readonly [string, string | null | undefined])[]): string {
  const given = pairs.filter((pair): pair is [string, string] => Boolean(pair[1]));
  const width = Math.max(...given.map(([name]) => name.length));
  return given.map(([name, value]) => `  ${name.padEnd(width)}  ${printable(value)}\n`).join('');
}
