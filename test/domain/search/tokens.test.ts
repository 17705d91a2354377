import fc from 'fast-check';
import { longestSearched, searchTokens } from '../../../src/domain/search/tokens';

const words = (text: string) => searchTokens(text).words;
const ids = (text: string) => searchTokens(text).ids;

/** Whether a question would find a text: every word that is asked is one of the stored ones. */
const covers = (stored: string, asked: string) => {
  const has = new Set(words(stored));
  return words(asked).length > 0 && words(asked).every((word) => has.has(word));
};

describe('words', () => {
  it('R54: case, accents, full-width forms, invisible characters and other digits make no difference', () => {
    for (const [written, asked] of [
      ['Crème Brûlée', 'creme brulee'],
      ['ＲＥＦＵＮＤ', 'refund'],
      ['re\u200bfund', 'refund'],
      ['\u202erefund\u202c', 'refund'],
      ['e\u0301cole', 'école'],
      ['order ٤٢', 'order 42'],
      ['مُحَمَّد', 'محمد'],
      ['ﬁne', 'fine'],
    ] as const)
      expect({ written, words: words(written) }).toEqual({ written, words: words(asked) });
  });

  it.each([
    ['Chinese', '客户希望退款到原支付方式', '退款', '换货'],
    ['Japanese', '返金は元のカードにお願いします', '返金', '交換'],
    ['Japanese, in kana', 'メールでれんらくしてください', 'れんらく', 'でんわ'],
    ['Korean', '고객은 환불을 원합니다', '환불', '교환'],
    ['Thai', 'ลูกค้าต้องการเงินคืนทางบัตรเดิม', 'เงินคืน', 'สินค้า'],
    ['Lao', 'ລູກຄ້າຕ້ອງການເງິນຄືນ', 'ເງິນຄືນ', 'ສິນຄ້າ'],
    ['Khmer', 'អតិថិជនចង់បានប្រាក់វិញ', 'ប្រាក់', 'ទំនិញ'],
    ['Bengali', 'গ্রাহক বাংলায় উত্তর চান', 'বাংলায়', 'ফেরত'],
    ['Arabic', 'العميل يريد استرداد المبلغ', 'استرداد', 'استبدال'],
    ['Hindi', 'ग्राहक हिन्दी में उत्तर चाहता है', 'हिन्दी', 'वापसी'],
  ])('%s: a word within a sentence is found, another one is not', (_, sentence, inside, outside) => {
    expect(covers(sentence, inside)).toBe(true);
    expect(covers(sentence, outside)).toBe(false);
  });

  it('mixed scripts are parted, and a lone character of a script without spaces is found', () => {
    expect(words('order42の猫')).toEqual(expect.arrayContaining(['order42', '猫']));
    expect(covers('白い猫です', '猫')).toBe(true);
  });
});

describe('ids', () => {
  it.each([
    ['Where is ORDER-42?', ['order-42']],
    ['re_3abcDEF, then re_3abcDEG.', ['re_3abcdef', 're_3abcdeg']],
    ['refund/run_123', ['refund/run_123', 'run_123']],
    ['{"runId":"run_x1","amount":"12.50"}', ['run_x1', '12.50']],
    ['(a_b)', ['a_b']],
    ['42 apples and tea, end.', []],
    ['e-mail and/or phone', []],
  ])('%s', (text, expected) => {
    expect(ids(text)).toEqual(expected);
  });

  it('an id is not another one that begins like it', () => {
    expect(ids('ORDER-42')).not.toEqual(ids('ORDER-421'));
    expect(ids('a_b')).not.toEqual(ids('a-b'));
  });
});

describe('hostile text', () => {
  const pieces = [
    'a',
    '1',
    'a_',
    '_',
    '-',
    'a-1/',
    '%',
    '*',
    "'",
    '"',
    '\\',
    '&|!():*<->',
    '\u200d',
    '\u202e',
    'م',
    'ก',
  ].concat(['字', '\ud800', '𝟜', '\u0301', '\u0000', 'ﷺ', ' ', '<|endoftext|>', '/:#@=']);

  it.each(pieces)('R54: a megabyte of %j takes no more than what is read of it', (piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const { words: found, ids: named } = searchTokens(text);
    expect(found.length).toBeLessThanOrEqual(4 * longestSearched);
    expect(Math.max(0, ...found.map((word) => word.length))).toBeLessThanOrEqual(64);
    expect(named.length).toBeLessThanOrEqual(200);
  });

  it('R54: never throws, and reads the same text the same way', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(searchTokens(text)).toEqual(searchTokens(text));
        for (const word of words(text)) expect(word).toMatch(/^[\p{L}\p{M}\p{N}]+$/u);
      }),
    );
  });
});
