import { columnsOf, cut, fields, padded, printable, terminalWidth } from './text';
import { age, moment } from './time';

export interface Column<Item> {
  readonly title: string;
  readonly of: (item: Item) => string;
  /** The same in fewer words, for all of the column where the whole doesn't fit. */
  readonly short?: (item: Item) => string;
  /** Left out where it doesn't fit, the last such column first, and where it would be empty. */
  readonly optional?: boolean;
  /** Free text, which may be cut; ids and amounts are not. */
  readonly cut?: boolean;
}

/** A moment with its age, and where there is no room the age alone. */
export function when<Item>(title: string, at: (item: Item) => string | null): Column<Item> {
  const told = (how: (iso: string) => string) => (item: Item) => {
    const iso = at(item);
    return iso === null ? '' : how(iso);
  };
  return { title, of: told(moment), short: told(age) };
}

const gap = '  ';
const narrowest = 8;
/** A terminal of fewer columns is written to as if it had these: an id would not fit into it at all. */
const narrowestTerminal = 40;

/**
 * One line an item, never wider than the terminal: columns are told in fewer words, then cut, then left out. Where not
 * even ids and amounts fit beside each other, they stand below each other.
 */
export function table<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  width = terminalWidth(),
): string {
  const whole = sizedOf(items, columns, ({ of }) => of);
  const told = least(whole) <= width ? whole : sizedOf(items, columns, ({ of, short }) => short ?? of);
  const left = leaveOut(told, width);
  if (least(left) > width) return stacked(told, Math.max(width, narrowestTerminal));
  const fitted = cutToFit(left, width);
  return Array.from({ length: items.length + 1 }, (_, line) =>
    fitted
      .map(({ cells, width: size }) => padded(cut(cells[line] ?? '', size), size))
      .join(gap)
      .trimEnd(),
  )
    .map((line) => `${line}\n`)
    .join('');
}

interface Sized {
  readonly column: { readonly title: string; readonly optional?: boolean; readonly cut?: boolean };
  /** The title, and what stands below it. */
  readonly cells: readonly string[];
  readonly width: number;
}

function sizedOf<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  form: (column: Column<Item>) => (item: Item) => string,
): Sized[] {
  return columns
    .map((column) => ({ column, cells: items.map((item) => printable(form(column)(item))) }))
    .filter(({ column, cells }) => !column.optional || cells.some((cell) => cell !== ''))
    .map(({ column, cells }) => ({
      column,
      cells: [column.title, ...cells],
      width: [column.title, ...cells].reduce((widest, cell) => Math.max(widest, columnsOf(cell)), 0),
    }));
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

/** Each item under its id. */
function stacked([first, ...others]: readonly Sized[], width: number): string {
  const items = first?.cells.slice(1) ?? [];
  return items
    .map((id, item) => {
      const below = others.map(({ column, cells }) => [column.title, cells[item + 1]] as const);
      const lines = `${id}\n${fields(below, Number.POSITIVE_INFINITY)}`.trimEnd().split('\n');
      return lines.map((line) => `${cut(line, width)}\n`).join('');
    })
    .join('\n');
}
