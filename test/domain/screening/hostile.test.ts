import { longestScreened, refusedKinds, screenText } from '../../../src/domain/screening/screen';

const kinds = (text: string): string[] => screenText(text).map(({ kind }) => kind);

describe('hostile text', () => {
  const size = 400_000;
  const pieces = [
    'a',
    '1',
    '4 ',
    '4',
    '42 42 ',
    'eyJ',
    'eyJ.',
    'sk-',
    '@',
    'a@',
    'DE89',
    'D E 8 9 ',
    '-----BEGIN PRIVATE KEY-----',
    '----',
    'password ',
    'password is ',
    'http://',
    'a:',
    '+1 ',
    '1 street ',
    'rue ',
    'Hauptstraße',
    'bearer ',
    'cvv ',
    '\u200b',
    '\u202e',
    '４',
    'é',
    '\ud800',
    '𝟜',
    '\ufdfa',
    '<|endoftext|>',
    '1-',
    '1.',
    're_',
    'my address is ',
    'xoxb-',
    'SG.',
    'a1',
    '٤',
    'secret ',
    'account number ',
  ];

  it('R54: the time grows no faster than the text, and nothing throws', () => {
    const time = (text: string): number => {
      const started = process.hrtime.bigint();
      screenText(text);
      return Number(process.hrtime.bigint() - started) / 1e6;
    };
    for (const piece of pieces) {
      const small = time(piece.repeat(Math.ceil(size / 8 / piece.length)));
      const large = time(piece.repeat(Math.ceil(size / piece.length)));
      // Eight times the text: a quadratic scan would take sixty-four times as long.
      expect({ piece, growth: large / Math.max(small, 20) < 32 }).toEqual({ piece, growth: true });
    }
  });

  it('R54: a megabyte without a space is screened', () => {
    expect(kinds(`${'x'.repeat(1_000_000)}-4242424242424242`)).toEqual(['card_number']);
  });

  it('what lies past the screened length is refused, not let through', () => {
    const text = 'a'.repeat(longestScreened + 1);
    expect(screenText(text)).toEqual([
      { kind: 'unscreened', start: longestScreened, end: longestScreened + 1 },
    ]);
    expect(refusedKinds(text)).toEqual(['unscreened']);
  });
});
