import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { formatAmount } from '../../../src/domain/money/decimal';
import { localizedAmount } from '../../../src/domain/money/localized';
import { packageRoot } from '../../../src/main/version';
import { readLocale } from '../../../src/main/settings';
import { moneyArbitrary } from './arbitraries';

describe('amounts as people read them', () => {
  test.each([
    ['1234.50', 'USD', 'en-US', 'USD 1,234.50'],
    ['1234.50', 'EUR', 'de-DE', '1.234,50 EUR'],
    ['1234.50', 'EUR', 'fr-FR', '1 234,50 EUR'],
    ['1234567.50', 'INR', 'en-IN', 'INR 12,34,567.50'],
    ['500', 'JPY', 'ja-JP', 'JPY 500'],
    ['5.124', 'KWD', 'en-US', 'KWD 5.124'],
    // Local habit shows no decimals of these; ISO 4217 has two.
    ['10.45', 'HUF', 'hu-HU', '10,45 HUF'],
    ['1.20', 'MGA', 'en-US', 'MGA 1.20'],
    ['5', 'ISK', 'is-IS', '5 ISK'],
    ['90071992547409.91', 'USD', 'en-US', 'USD 90,071,992,547,409.91'],
    ['49.00', 'USD', undefined, '49.00 USD'],
    ['49.00', 'XXX', 'en-US', '49.00 XXX'],
    ['a lot', 'USD', 'en-US', 'a lot USD'],
  ])('R10: %s %s in %s is %s', (value, currency, locale, shown) => {
    expect(localizedAmount(value, currency, locale)).toBe(shown);
  });

  test('R10: no digit is lost or added, in any currency and for any amount', () => {
    fc.assert(
      fc.property(
        moneyArbitrary,
        fc.constantFrom('en-US', 'de-DE', 'fr-FR', 'en-IN', 'pt-BR'),
        (money, locale) => {
          const plain = formatAmount(money);
          const shown = localizedAmount(plain, money.currency, locale);
          expect(shown).toContain(money.currency);
          expect(shown.replace(/\D/g, '')).toBe(plain.replace(/\D/g, ''));
        },
      ),
    );
  });

  test.each([
    [{ LANG: 'de_DE.UTF-8' }, 'de-DE'],
    [{ LANG: 'en_US.UTF-8', LC_MONETARY: 'fr_FR@euro' }, 'fr-FR'],
    [{ LANG: 'en_US.UTF-8', LC_MONETARY: 'fr_FR', LC_ALL: 'pt_BR' }, 'pt-BR'],
    [{ LANG: 'C.UTF-8' }, undefined],
    [{ LC_ALL: 'POSIX', LANG: 'de_DE' }, undefined],
    [{ LANG: '' }, undefined],
    [{ LANG: 'no such thing' }, undefined],
    [{}, undefined],
  ])('R10: %j is read as %s', (env, locale) => {
    expect(readLocale(env)).toBe(locale);
  });

  test('R10: only doors for people use it: what is stored, sent and compared is minor units or the plain decimal', () => {
    const files = ['src', 'workflows', 'activities'].flatMap((folder) =>
      readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
        .map((file) => join(folder, file))
        .filter((file) => /\.tsx?$/.test(file)),
    );
    const using = files.filter((file) =>
      /money\/localized'|Intl\.NumberFormat\(/.test(readFileSync(join(packageRoot, file), 'utf8')),
    );
    expect(using).toContain('src/cli/amountText.ts');
    // The sandbox words its refusals as the provider does.
    const edges =
      /^src\/(cli|web|main)\/|^src\/domain\/money\/localized\.ts$|^src\/sandbox\/provider\/parameters\.ts$/;
    expect(using.filter((file) => !edges.test(file))).toEqual([]);
  });
});
