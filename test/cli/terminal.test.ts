import { table, when, type Column } from '../../src/cli/terminal/table';
import { frame } from '../../src/cli/terminal/screen';
import { beside, columnsOf, cut, fields, printable } from '../../src/cli/terminal/text';
import { age } from '../../src/cli/terminal/time';

interface Item {
  readonly id: string;
  readonly text: string;
  readonly extra: string;
}

describe('tables', () => {
  const columns: Column<Item>[] = [
    { title: 'ID', of: ({ id }) => id },
    { title: 'TEXT', of: ({ text }) => text, cut: true },
    { title: 'EXTRA', of: ({ extra }) => extra, optional: true },
  ];
  const items = [
    { id: 'run_0123456789', text: 'a rather long text, longer than others', extra: 'ch_0123456789' },
    { id: 'run_1', text: 'short', extra: '' },
  ];
  const widths = (text: string) => text.split('\n').map((line) => line.length);

  test('where there is room, everything is there', () => {
    expect(table(items, columns, 200)).toBe(
      [
        'ID              TEXT                                    EXTRA',
        'run_0123456789  a rather long text, longer than others  ch_0123456789',
        'run_1           short',
        '',
      ].join('\n'),
    );
  });

  test.each([40, 45, 60, 69, 80])('at %d columns no line is longer, and no id is cut', (width) => {
    const text = table(items, columns, width);
    expect(Math.max(...widths(text))).toBeLessThanOrEqual(width);
    expect(text).toContain('run_0123456789');
    expect(text).not.toMatch(/run_\d*…|ch_\d*…/);
  });

  test('texts are cut before columns are left out, and columns before ids', () => {
    expect(table(items, columns, 45)).toContain('a rather long…  ch_0123456789\n');
    expect(table(items, columns, 38)).not.toContain('EXTRA');
    expect(table(items, columns, 38)).toContain('a rather long text, l…\n');
  });

  test('a moment is told as its age alone before a column is left out', () => {
    const at = new Date(Date.now() - 7_200_000).toISOString();
    const moments = [...columns, when<Item>('SINCE', () => at)];
    expect(table(items, moments, 200)).toMatch(/\d\d:\d\d:\d\d \(2 h ago\)\n/);
    expect(table(items, moments, 60)).toMatch(/… {2}ch_0123456789 {2}2 h ago\n/);
  });

  test('where ids do not fit beside each other they stand below each other, whole', () => {
    const wide = [{ id: `run_${'0'.repeat(32)}`, text: 'a rather long text, longer than others', extra: '' }];
    const both: Column<Item>[] = [...columns, { title: 'REFUND', of: () => 're_0123456789' }];
    expect(table(wide, both, 42)).toBe(
      [
        `run_${'0'.repeat(32)}`,
        '  TEXT    a rather long text, longer than…',
        '  REFUND  re_0123456789',
        '',
      ].join('\n'),
    );
  });

  test('letters of two columns and marks of none are counted as the terminal shows them', () => {
    const wide = [{ id: '返金', text: '注文した品物が壊れていました', extra: 'e\u0301' }];
    const text = table(wide, columns, 30);
    const [heading = '', line = ''] = text.split('\n');
    expect(columnsOf(line)).toBeLessThanOrEqual(30);
    expect(columnsOf(line.slice(0, line.indexOf('注')))).toBe(heading.indexOf('TEXT'));
    expect(line).toContain('…');
  });

  test('an optional column that would be empty is left out', () => {
    expect(table([items[1]!], columns, 200)).toBe('ID     TEXT\nrun_1  short\n');
  });
});

describe('text of others', () => {
  test('escape sequences, line breaks and direction marks do not reach the terminal', () => {
    expect(printable('a\u001b[2Jb\r\nc\u202ed\u200b\u2028e')).toBe('a [2Jb c d e');
  });

  test('cut counts columns and halves no character', () => {
    expect(cut('😀😀😀', 6)).toBe('😀😀😀');
    expect(cut('😀😀😀😀', 6)).toBe('😀😀…');
    expect(cut('👩‍👩‍👧👩‍👩‍👧', 3)).toBe('👩‍👩‍👧…');
  });

  test('long text goes on below its own beginning, and no word is cut', () => {
    const told = beside('  note  ', 'the parcel came late and was wet', 30);
    expect(told).toBe('  note  the parcel came late\n        and was wet\n');
    expect(beside('  hash  ', 'f'.repeat(64), 40)).toBe(`  hash  ${'f'.repeat(64)}\n`);
  });

  test('fields leave out what has no value', () => {
    expect(
      fields([
        ['amount', '5.00 USD'],
        ['note', null],
        ['id', 'x'],
      ]),
    ).toBe('  amount  5.00 USD\n  id      x\n');
  });
});

describe('ages', () => {
  const now = Date.parse('2026-11-29T12:00:00Z');
  test.each([
    ['2026-11-29T12:00:00Z', '0 s ago'],
    ['2026-11-29T11:59:01Z', '59 s ago'],
    ['2026-11-29T11:59:00Z', '1 min ago'],
    ['2026-11-29T10:00:00Z', '2 h ago'],
    ['2026-11-26T12:00:01Z', '71 h ago'],
    ['2026-11-26T12:00:00Z', '3 d ago'],
    ['2026-12-02T11:59:59Z', 'in 71 h'],
    ['2026-11-29T12:00:30Z', 'in 30 s'],
  ])('%s is %s', (iso, text) => expect(age(iso, now)).toBe(text));
});

describe('a page that is drawn again', () => {
  const drawn = (page: string, columns: number, rows: number) =>
    frame(page, columns, rows).split('\u001b[K\n');

  test('goes over what was there, line by line, and clears what is below', () => {
    expect(frame('a\nb\n', 80, 24)).toBe('\u001b[Ha\u001b[K\nb\u001b[K\n\u001b[J');
  });

  test('is never taller or wider than the screen, and keeps its last lines', () => {
    const page = `${Array.from({ length: 40 }, (_, i) => `line ${i}`).join('\n')}\n\nCtrl-C ends.\n`;
    const lines = drawn(page, 80, 10).slice(0, -1);
    expect(lines).toHaveLength(9);
    expect(lines.slice(-3)).toEqual(['… 34 more lines; a taller window shows them', '', 'Ctrl-C ends.']);
    expect(drawn('x'.repeat(100), 20, 10)[0]).toBe(`\u001b[H${'x'.repeat(19)}…`);
  });
});
