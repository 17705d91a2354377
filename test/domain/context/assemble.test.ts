import * as fc from 'fast-check';
import { assembleContext } from '../../../src/domain/context/assemble';
import { factsIn } from '../../../src/domain/context/facts';
import { contextItems } from '../../../src/domain/context/items';
import type { Passage } from '../../../src/domain/context/passage';
import { emptySummary, structuredSummary } from '../../../src/domain/context/summary';
import { CountersignError } from '../../../src/domain/errors';
import { benchContext } from '../../../src/main/bench/context';
import { approval, assembled, count, input, run, seed, turn } from './contextFixture';
import { conversation, currentRun } from './conversations';

const passages: fc.Arbitrary<Passage[]> = fc.array(
  fc.record({
    id: fc.uuid().map((id) => `mem_${id}`),
    text: fc.oneof(fc.lorem({ maxCount: 60 }), fc.string({ unit: 'grapheme', maxLength: 200 })),
    source: fc.constantFrom('user_explicit', 'tool', 'Handbook > Damaged goods'),
    score: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  }),
  { maxLength: 12 },
);
const inputs = fc
  .record({
    log: conversation,
    folded: fc.nat({ max: 30 }),
    pinned: passages,
    recalled: passages,
    knowledge: passages,
    showSummary: fc.boolean(),
  })
  .map(({ log, folded, ...rest }) =>
    input({
      ...rest,
      summary: {
        upTo: folded,
        summary: structuredSummary(emptySummary, log.slice(0, folded)),
      },
      // As the store gives them: those after the summary, and each call or result that belongs to one of them.
      turns: log.filter(
        (turn) =>
          turn.seq > folded ||
          (turn.toolCallId !== null &&
            (turn.runId === currentRun ||
              log.filter(({ toolCallId }) => toolCallId === turn.toolCallId).length === 1 ||
              log.some(({ toolCallId, seq }) => toolCallId === turn.toolCallId && seq > folded))),
      ),
    }),
  );

describe('a context', () => {
  test('R50: is never over its budget, or is refused with what it would need; the manifest has every item', () => {
    let made = 0;
    fc.assert(
      fc.property(inputs, fc.integer({ min: 100, max: 12_000 }), (given, budget) => {
        const items = contextItems(given);
        const mandatory = items.filter((item) => item.mandatory);
        try {
          const { text, manifest } = assembleContext(items, budget, count);
          made += 1;
          expect(count(text)).toBeLessThanOrEqual(budget);
          expect(manifest.tokens).toBe(count(text));
          expect(manifest.items.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
          for (const item of manifest.items) {
            const shown = items.find(({ id }) => id === item.id)?.text ?? '';
            if (item.included) expect(text).toContain(shown);
            expect(item.included).toBe(item.reason === 'mandatory' || item.reason === 'fits');
          }
          for (const { text: shown } of mandatory) expect(text).toContain(shown);
        } catch (error) {
          if (!(error instanceof CountersignError)) throw error;
          expect(error.code).toBe('context_over_budget');
          const { needed } = error.details as { needed: number };
          expect(needed).toBeGreaterThan(budget);
          // With that much it can be made.
          expect(assembleContext(items, needed, count).manifest.tokens).toBeLessThanOrEqual(needed);
        }
      }),
      { numRuns: 40, seed },
    );
    expect(made).toBeGreaterThan(20);
  });

  test('R50: the same things give the same bytes', () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const once = assembleContext(contextItems(given), 20_000, count);
        const again = assembleContext(contextItems(structuredClone(given)), 20_000, count);
        expect(again).toEqual(once);
      }),
      { numRuns: 10, seed },
    );
  });

  test('R51: no call is shown without its result, none of the current run or pending is left out', () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const { manifest } = assembleContext(contextItems(given), 40_000, count);
        const turnsOf = ({ id }: { id: string }) => id.replace('turn ', '').split('+').map(Number);
        const shown = manifest.items
          .filter(({ section, included }) => section === 'turns' && included)
          .flatMap(turnsOf);
        for (const { toolCallId, seq, runId } of given.turns) {
          if (toolCallId === null) continue;
          const members = given.turns.filter((turn) => turn.toolCallId === toolCallId);
          const there = members.filter((turn) => shown.includes(turn.seq));
          expect([0, members.length]).toContain(there.length);
          if (members.length === 1 || runId === currentRun) expect(shown).toContain(seq);
        }
      }),
      { numRuns: 40, seed },
    );
  });

  test('R52: every id and amount of the thread that is open stands there, whatever else does not fit', () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const items = contextItems(given);
        const { needed } = refusedBelow(items);
        const { text } = assembleContext(items, needed, count);
        const plain = text.replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
        for (const turn of given.turns)
          for (const fact of factsIn(turn.text)) expect(plain).toContain(fact.text);
        for (const fact of given.summary?.summary.facts ?? []) expect(plain).toContain(fact.text);
        expect(text).toContain(approval.id);
        expect(text).toContain(approval.deadline);
      }),
      { numRuns: 30, seed },
    );
  });

  test('R52: ids of finished refunds alone are left to the search, and said to be', () => {
    const done = run({
      ...{ runId: 'run_11111111111111111111111111111111', phase: 'completed', orderId: 'ORDER-1' },
      ...{ refundId: 're_1111aaaa', paymentId: 'ch_1111aaaa', amount: '15.00 USD' },
    });
    const said = 'ORDER-1 with ch_1111aaaa gave re_1111aaaa back, 15.00 USD; ORDER-7 is 120.00 USD, ORDER-9?';
    const { text } = assembled({ runs: [done, run()], turns: [turn(1, said)] }, 4_000);
    const facts = text.slice(text.indexOf('# Ids and amounts'), text.indexOf('# The latest turns'));
    expect(facts).toContain('| ids: ORDER-7; ORDER-9\n| amounts: 120.00 USD\n');
    expect(facts).toContain('found by searching the messages of the thread: 4.');
  });

  test('R50: sections have their share, in order of priority, and what stands twice stands once', () => {
    const many = (kind: string, score: number | null) =>
      Array.from({ length: 40 }, (_, index) => ({
        ...{ id: `${kind}-${index}`, source: kind, score },
        text: `The ${kind} fact number ${index} is a sentence of some length about lamps and parcels.`,
      }));
    const turns = Array.from({ length: 120 }, (_, index) => turn(index + 1, `message ${index}, some words`));
    const pinned = many('pinned', null);
    const { manifest, text } = assembled(
      {
        pinned,
        recalled: [...pinned.slice(0, 2), ...many('memory', 0.5)],
        knowledge: many('page', 0.7),
        turns,
      },
      3_000,
    );
    const of = (section: string) => manifest.items.filter((item) => item.section === section);
    const tokens = (section: string) => of(section).reduce((sum, item) => sum + item.tokens, 0);
    expect(tokens('pinned')).toBeLessThanOrEqual(300);
    expect(tokens('turns')).toBeLessThanOrEqual(1_800);
    expect(
      of('memory')
        .slice(0, 2)
        .map(({ reason }) => reason),
    ).toEqual(['duplicate', 'duplicate']);
    const shown = of('turns').filter(({ included }) => included);
    expect(shown.at(-1)?.id).toBe('turn 120');
    expect(shown.map(({ id }) => id)).toEqual(
      of('turns')
        .slice(-shown.length)
        .map(({ id }) => id),
    );
    expect(new Set(of('turns').map(({ reason }) => reason))).toEqual(
      new Set(['fits', 'section_cap', 'older']),
    );
    const order = ['Policy in force', 'Task and state', 'Waiting for a person', 'Pinned', 'The latest'];
    const places = order.map((heading) => text.indexOf(`# ${heading}`));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });

  test('of 200 turns takes a small multiple of counting their tokens once', () => {
    const { turns, assemblyMs, tokenizerPassMs } = benchContext(200);
    expect(turns).toBe(200);
    expect(assemblyMs / tokenizerPassMs).toBeLessThan(50);
  });
});

/** What the mandatory items alone take. */
function refusedBelow(items: ReturnType<typeof contextItems>): { needed: number } {
  try {
    assembleContext(items, 1, count);
  } catch (error) {
    if (error instanceof CountersignError) return error.details as { needed: number };
  }
  throw new Error('one token is enough for nothing');
}
