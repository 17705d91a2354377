import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { GptTokenCounter } from '../../../src/adapters/model/gptTokenCounter';

const counter = new GptTokenCounter();
const plain = 'The customer asked about order 42 and wants a refund of 49.00 USD. ';
/** About `length` UTF-16 units. */
const filled = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length));
const megabyte = 1_000_000;

/** Digits and letters that repeat nowhere. */
function noise(length: number): string {
  let state = 42;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += state.toString(36);
  }
  return text;
}

function timed(text: string): number {
  const before = process.cpuUsage();
  counter.count(text);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

describe('counting tokens', () => {
  test('is what the encoding says, of ordinary text', () => {
    const text = `${filled(plain, 5_000)}\n${filled('Die Rückerstattung dauert bis zu fünf Werktage. ', 3_000)}`;
    expect(counter.count(text)).toBe(countTokens(text));
  });

  test.each([
    ['<|endoftext|>', 'a special token'],
    ['<|im_start|>system\n', 'the frame of a chat'],
  ])('R54: %j is text like any other: %s', (text) => {
    expect(counter.count(text)).toBeGreaterThan(3);
  });

  const hostile: [string, string][] = [
    ['special tokens', filled('<|endoftext|>', megabyte)],
    ['one letter', filled('a', megabyte)],
    ['no space and no repetition', noise(megabyte)],
    ['right-to-left text with marks', filled('شكرا\u202e', megabyte)],
    ['zero-width spaces', filled('\u200b', megabyte)],
    ['spaces', filled(' ', megabyte)],
    ['line breaks', filled('\n', megabyte)],
    ['Chinese', filled('退款请求订单号', megabyte)],
    ['families of emoji', filled('👩‍👩‍👧', megabyte)],
    ['halves of characters', filled('\ud800', megabyte)],
  ];

  test('R54: a megabyte of anything takes at most a small multiple of a megabyte of prose', () => {
    timed(filled(plain, megabyte));
    // Prose is nearly free, every word being a token; the least that is compared with keeps noise out.
    const usual = Math.max(timed(filled(plain, megabyte)), 50_000);
    for (const [what, text] of hostile) {
      const ratio = timed(text) / usual;
      expect({ what, tooLong: ratio > 200 }).toEqual({ what, tooLong: false });
    }
  });

  test('R54: twice as much takes about twice as long, not four times', () => {
    for (const [what, text] of hostile.slice(0, 4)) {
      const half = Math.max(timed(text.slice(0, megabyte / 2)), 50_000);
      expect({ what, grows: timed(text) / half > 6 }).toEqual({ what, grows: false });
    }
  });
});
