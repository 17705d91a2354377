import { cut, printable, terminalWidth } from './text';

export interface Column<Item> {
  readonly title: string;
  readonly of: (item: Item) => string;
  /** Left out where it doesn't fit, the last such column first, and where it would be empty. */
  readonly optional?: boolean;
  /** Free text, which may be cut; ids and amounts are not. */
  readonly cut?: boolean;
}

const gap = '  ';
const narrowest = 8;

/** One line an item, never wider than the terminal unless its ids alone are. */
export function table<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  width = terminalWidth(),
): string {
  const sized = columns.map((column) => {
    const cells = [column.title, ...items.map((item) => printable(column.of(item)))];
    return { column, cells, width: Math.max(...cells.map((cell) => [...cell].length)) };
  });
  const told = sized.filter(
    ({ column, cells }) => !column.optional || cells.slice(1).some((cell) => cell !== ''),
  );
  const fitted = cutToFit(leaveOut(told, width), width);
  return Array.from({ length: items.length + 1 }, (_, line) =>
    fitted
      .map(({ cells, width: size }) => cut(cells[line] ?? '', size).padEnd(size))
      .join(gap)
      .trimEnd(),
  )
    .map((line) => `${line}\n`)
    .join('');
}

interface Sized {
  readonly column: { readonly optional?: boolean; readonly cut?: boolean };
  readonly cells: readonly string[];
  readonly width: number;
}

/** What the columns take at least, with everything cut that may be. */
function least(columns: readonly Sized[]): number {
  const sizes = columns.map(({ column, width }) => (column.cut ? Math.min(width, narrowest) : width));
  return sizes.reduce((sum, size) => sum + size, gap.length * (columns.length - 1));
}

function leaveOut(columns: readonly Sized[], width: number): readonly Sized[] {
  if (least(columns) <= width) return columns;
  const last = columns.findLastIndex(({ column }) => column.optional);
  return last < 0 ? columns : leaveOut(columns.toSpliced(last, 1), width);
}

function cutToFit(columns: readonly Sized[], width: number): readonly Sized[] {
  let spare = width - least(columns);
  return columns.map((sized) => {
    if (!sized.column.cut || sized.width <= narrowest) return sized;
    const size = Math.min(sized.width, narrowest + Math.max(spare, 0));
    spare -= size - narrowest;
    return { ...sized, width: size };
  });
}
