import stringWidth from 'string-width';
import { readColumns } from '../../main/settings';

/** Text of somebody else, on a terminal: no escape sequences, no direction marks, one line. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** How many columns it takes on a terminal: some characters take two, and marks none. */
export function columnsOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Cut to `width` columns, with … where something is missing. */
export function cut(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  let kept = '';
  for (const { segment } of characters.segment(text)) {
    if (columnsOf(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(width - columnsOf(text), 0));
}

/**
 * Columns of the terminal, or as many as COLUMNS says; nothing is cut where the output is not a terminal and nobody says
 * how wide it is.
 */
export function terminalWidth(): number {
  const { isTTY, columns } = process.stdout;
  return readColumns() ?? (isTTY ? columns || 80 : Number.POSITIVE_INFINITY);
}

/** `lead` and the text beside it: what is longer than a line goes on below its own beginning. */
export function beside(lead: string, text: string, width = terminalWidth()): string {
  const room = width - columnsOf(lead);
  // Beside a lead that leaves next to nothing, the terminal breaks lines better.
  if (columnsOf(text) <= room || room < narrowest) return `${lead}${text}\n`;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && columnsOf(line) + 1 + columnsOf(word) <= room)
      lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  const below = ' '.repeat(columnsOf(lead));
  return lines.map((line, index) => `${index === 0 ? lead : below}${line}\n`).join('');
}

const narrowest = 20;

/** `name  value` lines under a heading; what has no value is left out. */
export function fields(
  pairs: readonly (readonly [string, string | null | undefined])[],
  width = terminalWidth(),
): string {
  const given = pairs.filter((pair): pair is [string, string] => Boolean(pair[1]));
  const names = Math.max(...given.map(([name]) => columnsOf(name)));
  return given.map(([name, value]) => beside(`  ${padded(name, names)}  `, printable(value), width)).join('');
}
