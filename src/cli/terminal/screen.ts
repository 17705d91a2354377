import { columnsOf, cut } from './text';

/** Shows what there is now, in whatever way changes are told apart there. */
export type Screen<Seen> = (seen: Seen) => void;

type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns' | 'rows'>;

/** One JSON object a line, for every change. */
export function jsonLines<Seen>(output: Pick<Output, 'write'>): Screen<Seen> {
  return changesAlone((seen) => output.write(`${JSON.stringify(seen)}\n`));
}

/** The page again after every change, for files and pipes. */
export function pages<Seen>(output: Pick<Output, 'write'>, text: (seen: Seen) => string): Screen<Seen> {
  let first = true;
  return changesAlone((seen) => {
    output.write(`${first ? '' : '\n'}${text(seen)}`);
    first = false;
  });
}

/** The page in place of what it was, also when only ages have grown. */
export function redrawn<Seen>(output: Output, text: (seen: Seen) => string, foot: string): Screen<Seen> {
  let clear = '\u001b[2J';
  return (seen) => {
    output.write(`${clear}${frame(`${text(seen)}\n${foot}\n`, output.columns || 80, output.rows || 24)}`);
    clear = '';
  };
}

/**
 * What draws a page over the one before: each line is written over its whole width, and what was below is gone. A page
 * that is longer than the screen is cut in the middle, since its last lines say what to do.
 */
export function frame(page: string, columns: number, rows: number): string {
  const lines = page.trimEnd().split('\n');
  // The cursor stands on the line after the last.
  const room = Math.max(rows - 1, 3);
  const tail = 2;
  const missing = lines.length - room;
  const shown =
    missing <= 0
      ? lines
      : [
          ...lines.slice(0, room - tail - 1),
          `… ${missing + 1} more lines; a taller window shows them`,
          ...lines.slice(-tail),
        ];
  const drawn = shown.map((line) => `${columnsOf(line) > columns ? cut(line, columns) : line}\u001b[K\n`);
  return `\u001b[H${drawn.join('')}\u001b[J`;
}

function changesAlone<Seen>(write: (seen: Seen) => void): Screen<Seen> {
  let before: string | undefined;
  return (seen) => {
    const now = JSON.stringify(seen);
    if (now !== before) write(seen);
    before = now;
  };
}
