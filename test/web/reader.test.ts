import { ageText, amountText, momentText, readerOf } from '../../src/web/reader';
import { pathHere } from '../../src/web/security';

describe('how a person reads', () => {
  test.each([
    ['de-AT,de;q=0.9,en;q=0.8', 'de-AT'],
    ['xx;q=1, fr;q=0.5', 'fr'],
    ['en;q=0.1, ja', 'ja'],
    ['*', 'en'],
    ['"<script>', 'en'],
    ['', 'en'],
    [undefined, 'en'],
  ])('the language of %j is %s', (header, locale) => {
    expect(readerOf(header, null).locale).toBe(locale);
  });

  test('a time is told in the chosen zone with its name, and without a choice in UTC', () => {
    const at = '2026-07-01T23:30:00.000Z';
    expect(momentText(at, readerOf('en', 'Asia/Dhaka'))).toMatch(/Jul 2, 2026, 05:30 AM GMT\+6/);
    expect(momentText(at, readerOf('en', null))).toMatch(/Jul 1, 2026, 11:30 PM UTC/);
    expect(readerOf('en', 'Mars/Olympus').timeZone).toBe('UTC');
  });

  test('R10: an amount keeps every digit, in the way of the place', () => {
    expect(amountText({ value: '1234567.89', currency: 'EUR' }, readerOf('de', null))).toBe(
      '1.234.567,89 EUR',
    );
    expect(amountText({ value: '9007199254740993.01', currency: 'USD' }, readerOf('en', null))).toBe(
      'USD 9,007,199,254,740,993.01',
    );
  });

  test.each([
    [0, 'now'],
    [59_000, 'now'],
    [-60_000, '1 min ago'],
    [3 * 3_600_000, 'in 3 h'],
    [-71 * 3_600_000, '71 h ago'],
    [72 * 3_600_000, 'in 3 d'],
  ])('%i ms from now is %s', (ms, text) => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(ageText(new Date(now + ms).toISOString(), now)).toBe(text);
  });
});

test.each([
  ['/inbox/apr_1?done=approve', '/inbox/apr_1?done=approve'],
  ['//evil.example', '/inbox'],
  ['/\\evil.example', '/inbox'],
  ['https://evil.example', '/inbox'],
  ['/inbox\r\nset-cookie: a=b', '/inbox'],
  ['/sign-out', '/inbox'],
  [undefined, '/inbox'],
])('R29: after signing in, %j leads to %s', (asked, leads) => {
  expect(pathHere(asked)).toBe(leads);
});
