import * as fc from 'fast-check';
import {
  checkView,
  compact,
  compactions,
  wholeView,
  type ThreadView,
} from '../../../src/domain/context/compaction';
import { factsIn, factLines } from '../../../src/domain/context/facts';
import { structuredSummary, emptySummary, withProse, summaryText } from '../../../src/domain/context/summary';
import type { Turn } from '../../../src/domain/thread/turn';
import { conversation, currentRun } from './conversations';

const currentRuns = new Set([currentRun]);
const seed = 20_261_129;

/** Calls without a result in the log, and every call and result of the current run. */
const protectedTurns = (log: readonly Turn[]) =>
  log.filter(
    ({ toolCallId, runId }) =>
      toolCallId !== null &&
      (runId === currentRun || log.filter((turn) => turn.toolCallId === toolCallId).length === 1),
  );

describe('compaction', () => {
  test('R52: 200 conversations, each compacted five times by any strategies, keep every id and amount and invent none', () => {
    let facts = 0;
    let dropped = 0;
    const rounds = fc.array(fc.tuple(fc.constantFrom(...compactions), fc.integer({ min: 0, max: 12 })), {
      minLength: 5,
      maxLength: 5,
    });
    fc.assert(
      fc.property(conversation, rounds, (log, compactedBy) => {
        const before = JSON.stringify(log);
        let view: ThreadView = wholeView(log);
        for (const [strategy, keep] of compactedBy) {
          view = compact(view, strategy, { keep, currentRuns });
          expect(checkView(log, view)).toEqual({ missing: [], invented: [] });
        }
        facts += factsIn(log.map(({ text }) => text).join('\n')).length;
        dropped += log.length - view.turns.length;
        expect(JSON.stringify(log)).toBe(before);
      }),
      { numRuns: 200, seed },
    );
    // The property would hold of silence too.
    expect(facts).toBeGreaterThan(5_000);
    expect(dropped).toBeGreaterThan(2_000);
  });

  test('R51: a call keeps its result and a result its call, pending calls and those of the current run stay whole', () => {
    let held = 0;
    fc.assert(
      fc.property(
        conversation,
        fc.array(fc.constantFrom(...compactions), { minLength: 5, maxLength: 5 }),
        fc.integer({ min: 0, max: 8 }),
        (log, strategies, keep) => {
          const view = strategies.reduce(
            (seen, strategy) => compact(seen, strategy, { keep, currentRuns }),
            wholeView(log),
          );
          for (const { toolCallId } of view.turns) {
            if (toolCallId === null) continue;
            const members = (turns: readonly Turn[]) =>
              turns.filter((turn) => turn.toolCallId === toolCallId).map(({ seq }) => seq);
            expect(members(view.turns)).toEqual(members(log));
          }
          expect(view.turns).toEqual(expect.arrayContaining(protectedTurns(log)));
          expect(view.turns.map(({ seq }) => seq)).toEqual(
            [...view.turns.map(({ seq }) => seq)].sort((a, b) => a - b),
          );
          held += protectedTurns(log).length;
        },
      ),
      { numRuns: 200, seed },
    );
    expect(held).toBeGreaterThan(500);
  });

  test('control: the check finds an amount that is lost and an order that is made up', () => {
    const log = wholeView([]).turns.concat({
      ...{ seq: 1, role: 'user', text: 'ORDER-42 cost 49.00 USD', author: 'a', at: 0 },
      ...{ clientMessageId: null, toolCallId: null, toolName: null, runId: null },
    } as Turn);
    const summary = { ...emptySummary, facts: factsIn('ORDER-43') };
    expect(checkView(log, { summary, turns: [] })).toEqual({
      missing: [
        { kind: 'id', text: 'ORDER-42' },
        { kind: 'amount', text: '49.00 USD' },
      ],
      invented: [{ kind: 'id', text: 'ORDER-43' }],
    });
  });
});

describe("a model's summary", () => {
  const turn = (seq: number, role: Turn['role'], text: string): Turn => ({
    ...{ seq, role, text, author: 'a', at: seq },
    ...{ clientMessageId: null, toolCallId: null, toolName: null, runId: null },
  });
  const summary = structuredSummary(emptySummary, [
    turn(1, 'user', 'Please refund ORDER-42, it cost 49.00 USD.'),
    turn(2, 'note', 'Agreed: half of it, 24.50 USD'),
  ]);

  test('R52: is taken where it says nothing new', () => {
    const taken = withProse(summary, 'The customer wants ORDER-42 refunded.');
    expect(summaryText(taken)).toBe('The customer wants ORDER-42 refunded.');
    expect(taken.facts).toEqual(summary.facts);
  });

  test.each([
    ['an invented order', 'The customer wants ORDER-43 refunded.'],
    ['an amount that was never said', 'ORDER-42 cost 490.00 USD.'],
    ['another currency', 'ORDER-42 cost 49.00 EUR.'],
    ['a card number', 'He paid with 4242 4242 4242 4242.'],
    ['nothing', '  '],
    ['far too much', 'word '.repeat(2_000)],
  ])('R52: with %s falls back to the structured one', (_, prose) => {
    expect(withProse(summary, prose)).toBe(summary);
    expect(summaryText(summary)).toBe(
      'goal, turn 1: Please refund ORDER-42, it cost 49.00 USD.\nnoted, turn 2: Agreed: half of it, 24.50 USD',
    );
  });
});

describe('ids and amounts', () => {
  test.each([
    ['refund ch_3PabcDEF123 please', ['ch_3PabcDEF123']],
    ['Order no. 4711 and Bestellung 4712, 订单4713', ['Order no. 4711', 'Bestellung 4712', '订单4713']],
    ['$49.00, 1.234,50 € and USD 12', ['$49.00', '1.234,50 €', 'USD 12']],
    ['{"amount": {"value": "49.00",\n "currency": "USD"}}', ['"value":"49.00","currency":"USD"']],
    ['the Idempotency-Key: return-17.', ['Idempotency-Key: return-17']],
    ['not_received, version 2.0, 5 of 7, page 12', []],
    ['USD\u200b 49.00 \u202e#1001', ['USD  49.00', '#1001']],
  ])('R52: %j', (text, facts) => {
    expect(factsIn(text).map((fact) => fact.text)).toEqual(facts);
  });

  test('R52: facts as text are the same facts again', () => {
    fc.assert(
      fc.property(conversation, (log) => {
        const facts = factsIn(log.map(({ text }) => text).join('\n'));
        const again = factsIn(factLines(facts)).map(({ text }) => text);
        expect(new Set(again)).toEqual(new Set(facts.map(({ text }) => text)));
      }),
      { numRuns: 100, seed },
    );
  });
});
