import fc from 'fast-check';
import { isCardNumber } from '../../../src/domain/screening/cards';
import { screenText } from '../../../src/domain/screening/screen';

/** Published test numbers, none of them anybody's card. */
const testNumbers: Record<string, string[]> = {
  visa: ['4242424242424242', '4111111111111111', '4000056655665556', '4222222222222'],
  mastercard: ['5555555555554444', '2223003122003222', '5105105105105100', '2720990000000007'],
  amex: ['378282246310005', '371449635398431'],
  discover: ['6011111111111117', '6011000990139424'],
  diners: ['3056930009020004', '36227206271667', '38520000023237'],
  jcb: ['3566002020360505', '3530111333300000'],
  unionpay: ['6200000000000005', '6205500000000000004'],
  maestro: ['6759649826438453', '6304000000000000', '5018000000000009', '6799990100000000019'],
  mir: ['2200000000000004'],
  elo: ['6362970000457013'],
  hipercard: ['6062826786276634'],
  troy: ['9792000000000003'],
  rupay: ['8200000000000001'],
};
const numbers = Object.values(testNumbers).flat();

const fullWidth = (text: string): string =>
  text.replace(/[0-9]/g, (d) => String.fromCodePoint(0xff10 + Number(d)));
const bengali = (text: string): string =>
  text.replace(/[0-9]/g, (d) => String.fromCodePoint(0x9e6 + Number(d)));
const kinds = (text: string): string[] => screenText(text).map(({ kind }) => kind);

describe('card numbers', () => {
  it.each(Object.entries(testNumbers))('R44: finds the test numbers of %s', (_brand, brandNumbers) => {
    for (const number of brandNumbers) {
      expect({ number, found: screenText(`paid with ${number}, thanks`) }).toEqual({
        number,
        found: [{ kind: 'card_number', start: 10, end: 10 + number.length }],
      });
    }
  });

  it('R44: sees through separators, other digits and zero-width characters', () => {
    const gap = fc.constantFrom(
      '',
      ' ',
      '-',
      '\u00a0',
      '\u2013',
      ' - ',
      '\u200b',
      '\u2060\ufeff',
      '\u00ad',
      '_',
      '\n',
    );
    const script = fc.constantFrom((text: string) => text, fullWidth, bengali);
    const hidden = fc
      .tuple(fc.constantFrom(...numbers), script, fc.array(gap, { minLength: 19, maxLength: 19 }))
      .map(([number, write, gaps]) =>
        [...write(number)].map((digit, i) => (i > 0 ? gaps[i] : '') + digit).join(''),
      );
    fc.assert(
      fc.property(hidden, (text) => {
        expect(screenText(`card: ${text}.`)).toEqual([
          { kind: 'card_number', start: 6, end: 6 + text.length },
        ]);
      }),
      { numRuns: 500 },
    );
  });

  it('R44: finds a number as cards are printed, whatever stands around it', () => {
    for (const text of [
      'card 4242 4242 4242 4242 12/27 123',
      'order 12 4242-4242-4242-4242',
      '3782.822463.10005',
      '4242/4242/4242/4242',
      '(4242) (4242) (4242) (4242)',
      '4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2',
      'card4242424242424242',
      'VISA4242424242424242exp',
      '卡号4242424242424242谢谢',
      're_4242424242424242',
      '4\u03362\u03364\u03362\u033642424242424242',
      '4️⃣2️⃣4️⃣2️⃣ 4242 4242 4242',
    ]) {
      expect({ text, kinds: kinds(text) }).toEqual({ text, kinds: expect.arrayContaining(['card_number']) });
    }
  });

  it('R44: leaves UUIDs, provider ids, run ids, dates and amounts alone', () => {
    const base62 = fc.array(fc.constantFrom(...'0123456789abcdefghijKLMNOPqrstuv'), {
      minLength: 8,
      maxLength: 24,
    });
    const id = fc
      .tuple(fc.constantFrom('re', 'ch', 'pi', 'py', 'cus', 'evt', 'txn', 'run'), base62)
      .map(([prefix, body]) => `${prefix}_3${body.join('')}x`);
    const amount = fc
      .tuple(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 0, max: 99 }))
      .map(([major, minor]) => `${major}.${String(minor).padStart(2, '0')}`);
    const date = fc
      .date({ min: new Date('1970-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
      .map((value) => value.toISOString());
    const text = fc.array(
      fc.oneof(
        fc.uuid(),
        id,
        amount,
        date,
        date.map((iso) => iso.slice(0, 10)),
      ),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(text, (words) => {
        expect(screenText(words.join(' '))).toEqual([]);
        expect(screenText(words.join(', '))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('R44: letters of an id that spell a word of health are no word', () => {
    for (const id of ['re_3vih00000000x', 'ch_3hiv1234567890', 'run_3sida4567890ab'])
      expect({ id, kinds: kinds(`see ${id}, please`) }).toEqual({ id, kinds: [] });
    expect(kinds('he has HIV, see re_3abc1234567')).toEqual(['health']);
  });

  it('R44: leaves Luhn-valid numbers alone that no brand has by prefix and length', () => {
    for (const number of [
      '1000000000000008', // no brand begins with 1 at 16 digits
      '7000000000000005',
      '9000000000000001',
      '42424242424242', // Visa has no 14 digits
      '6000000000007', // Maestro has 60 only in library tables
      '79927398713',
      '0000000000000000',
      '4006381333931', // an article number
    ]) {
      expect({ number, kinds: kinds(`ref ${number} ok`) }).toEqual({ number, kinds: [] });
    }
  });

  it('R44: a wrong check digit is no card', () => {
    fc.assert(
      fc.property(fc.constantFrom(...numbers), fc.integer({ min: 1, max: 9 }), (number, shift) => {
        const wrong = number.slice(0, -1) + String((Number(number.at(-1)) + shift) % 10);
        expect(isCardNumber(wrong)).toBe(false);
      }),
    );
  });

  it('leaves phone numbers and digits inside hashes alone', () => {
    expect(kinds('sha256 9f4242424242424242ab3c')).toEqual([]);
    expect(kinds('call +573001234565')).not.toContain('card_number');
  });
});
