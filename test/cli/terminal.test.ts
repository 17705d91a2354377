import { table, type Column } from '../../src/cli/terminal/table';
import { cut, fields, printable } from '../../src/cli/terminal/text';
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

  test.each([20, 24, 30, 40, 45, 60, 69])('at %d columns no line is longer, and no id is cut', (width) => {
    const text = table(items, columns, width);
    expect(Math.max(...widths(text))).toBeLessThanOrEqual(Math.max(width, 'run_0123456789  a rathe…'.length));
    expect(text).toContain('run_0123456789');
    expect(text).not.toMatch(/run_\d*…|ch_\d*…/);
  });

  test('texts are cut before columns are left out, and columns before ids', () => {
    expect(table(items, columns, 45)).toContain('a rather long…  ch_0123456789\n');
    expect(table(items, columns, 38)).not.toContain('EXTRA');
    expect(table(items, columns, 38)).toContain('a rather long text, l…\n');
    expect(table(items, columns, 5)).toContain('run_0123456789  a rathe…\n');
  });

  test('an optional column that would be empty is left out', () => {
    expect(table([items[1]!], columns, 200)).toBe('ID     TEXT\nrun_1  short\n');
  });
});

describe('text of others', () => {
  test('escape sequences, line breaks and direction marks do not reach the terminal', () => {
    expect(printable('a\u001b[2Jb\r\nc\u202ed\u200b\u2028e')).toBe('a [2Jb c d e');
  });

  test('cut counts characters, not their halves', () => {
    expect(cut('😀😀😀', 3)).toBe('😀😀😀');
    expect(cut('😀😀😀😀', 3)).toBe('😀😀…');
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
