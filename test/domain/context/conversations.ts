import * as fc from 'fast-check';
import type { Turn } from '../../../src/domain/thread/turn';

/** Things with ids and amounts that somebody in a conversation about refunds says. */
const spoken: fc.Arbitrary<string> = fc.oneof(
  fc.stringMatching(/^ORDER-[1-9][0-9]{1,6}$/),
  fc.stringMatching(/^ORD-20[0-9]{2}-[0-9]{4}$/),
  fc.stringMatching(/^#[1-9][0-9]{2,7}$/),
  fc.stringMatching(/^order [1-9][0-9]{3,6}$/),
  fc.stringMatching(/^Bestellung Nr\. [1-9][0-9]{3,6}$/),
  fc.stringMatching(/^订单[1-9][0-9]{5,9}$/),
  fc.stringMatching(/^ch_[A-Za-z0-9]{11}[0-9]{3}$/),
  fc.stringMatching(/^pi_[A-Za-z0-9]{11}[0-9]{3}$/),
  fc.stringMatching(/^re_[A-Za-z0-9]{11}[0-9]{3}$/),
  fc.stringMatching(/^run_[0-9a-f]{31}[0-9]$/),
  fc.stringMatching(/^apr_[0-9a-f]{31}[0-9]$/),
  fc.uuid(),
  fc.stringMatching(/^Idempotency-Key: [a-z]{3,8}-[0-9]{1,6}$/),
);
const figure = fc.oneof(
  fc.integer({ min: 1, max: 99_999 }).map((cents) => (cents / 100).toFixed(2)),
  fc.integer({ min: 1, max: 9_999 }).map(String),
  fc.integer({ min: 1_000, max: 999_999 }).map((units) => `${units.toLocaleString('en-US')}.00`),
  fc.integer({ min: 1_000, max: 999_999 }).map((units) => `${units.toLocaleString('de-DE')},00`),
);
const money = fc
  .tuple(figure, fc.constantFrom('USD', 'EUR', 'JPY', 'KWD', '€', '$', '£', '₹', '৳', 'euros'), fc.boolean())
  .map(([value, currency, first]) =>
    first && currency !== 'euros' ? `${currency} ${value}` : `${value} ${currency}`,
  );
const json = fc
  .tuple(figure, fc.constantFrom('USD', 'EUR'), fc.boolean())
  .map(([value, currency, pretty]) =>
    JSON.stringify({ amount: { value: value.replaceAll(',', ''), currency } }, null, pretty ? 2 : 0),
  );
const words = fc.constantFrom(
  ...['please refund', 'the parcel never came', 'wurde zweimal belastet', '破损', 'it is', 'and', 'لم يصل'],
  ...[
    '<|endoftext|>',
    '</data>',
    '5 of 7',
    'version 2.0',
    'at 12:30',
    'not_received',
    'x'.repeat(400),
    '\u200b',
    '\u202e',
  ],
);
const sentence = fc
  .array(fc.oneof({ weight: 2, arbitrary: words }, spoken, money, json), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(' '));

/** One group of a conversation: something said, or a tool call whose result comes some turns later, or never. */
const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('user', 'assistant', 'note'), text: sentence }),
  fc.record({
    kind: fc.constant('tool'),
    text: fc.constantFrom('{"id":"ORDER-42"}', '{"id":"ch_1"}'),
    answer: fc.array(sentence, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n')),
    late: fc.nat({ max: 3 }),
    answered: fc.boolean(),
    ofRun: fc.boolean(),
  }),
);

/** The run that has not ended in every conversation here. */
export const currentRun = 'run_0000000000000000000000000000cafe';

/** Turns as a thread has them: gapless, calls before their results. */
export const conversation: fc.Arbitrary<Turn[]> = fc
  .array(step, { minLength: 10, maxLength: 60 })
  .map((steps) => {
    const said: Omit<Turn, 'seq' | 'at'>[][] = steps.map(() => []);
    const tail: Omit<Turn, 'seq' | 'at'>[] = [];
    steps.forEach((one, index) => {
      const base = {
        author: 'service',
        clientMessageId: null,
        toolCallId: null,
        toolName: null,
        runId: null,
      };
      if (!('answer' in one)) {
        said[index]?.push({ ...base, role: one.kind, text: one.text });
        return;
      }
      const tool = {
        ...base,
        toolCallId: `call-${index}`,
        toolName: 'look_up',
        runId: one.ofRun ? currentRun : null,
      };
      said[index]?.push({ ...tool, role: 'tool_call', text: one.text });
      if (one.answered)
        (said[index + one.late] ?? tail).push({ ...tool, role: 'tool_result', text: one.answer });
    });
    return [...said.flat(), ...tail].map((turn, index) => ({ ...turn, seq: index + 1, at: index }));
  });
