import { dayBegins, isTimeZone, lastDays } from '../../../src/domain/time/days';

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['America/Argentina/Buenos_Aires', true],
  ['', false],
  ['+02:00', false],
  ['Mars/Olympus', false],
  ['x'.repeat(65), false],
])('%j is a time zone: %s', (name, is) => {
  expect(isTimeZone(name)).toBe(is);
});

test.each([
  ['begins at midnight', 'Europe/Berlin', '2026-06-01', '2026-05-31T22:00:00.000Z'],
  ['on which clocks go forward', 'Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
  ['after it', 'Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
  ['on which they go back', 'Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z'],
  ['after that', 'Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
  ['without a midnight begins at one', 'America/Santiago', '2024-09-08', '2024-09-08T04:00:00.000Z'],
  ['with two begins at the first', 'America/Havana', '2024-11-03', '2024-11-03T04:00:00.000Z'],
  ['far in the east', 'Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z'],
])('a day %s (%s, %s)', (_how, zone, date, begins) => {
  expect(new Date(dayBegins(Date.parse(`${date}T00:00:00Z`), zone)).toISOString()).toBe(begins);
});

test('the last days end with the one that it is there, and each begins where the one before ends', () => {
  const now = Date.parse('2026-10-26T23:30:00Z');
  const days = lastDays(3, now, 'Europe/Berlin');
  expect(days.map(({ date }) => date)).toEqual(['2026-10-25', '2026-10-26', '2026-10-27']);
  expect(days.map(({ from }, i) => from - (days[i - 1]?.from ?? from)).slice(1)).toEqual([
    25 * 3_600_000,
    24 * 3_600_000,
  ]);
  expect(lastDays(1, now, 'UTC')).toEqual([{ date: '2026-10-26', from: Date.parse('2026-10-26T00:00:00Z') }]);
});
