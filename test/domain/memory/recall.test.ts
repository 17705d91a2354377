import fc from 'fast-check';
import { rankRecall, recencyHalfLifeMs, type RecallCandidate } from '../../../src/domain/memory/recall';
import type { SoughtTerm } from '../../../src/domain/search/relevance';

const now = 1_800_000_000_000;
const corpus = { rows: 100, averageSize: 8 };
const term = (word: string, rows: number): SoughtTerm => ({ word, stem: word, rows });
const memory = (id: string, change: Partial<RecallCandidate> = {}): RecallCandidate => ({
  id,
  stems: [],
  ids: [],
  size: 8,
  validFrom: now,
  confidence: 1,
  source: 'user_explicit',
  ...change,
});
const order = (candidates: RecallCandidate[], terms: SoughtTerm[], ids: string[] = []) =>
  rankRecall(candidates, { terms, ids }, corpus, now).map(({ id }) => id);

describe('rank', () => {
  const terms = [term('refund', 60), term('teapot', 2)];

  it('a rare word weighs more than a common one, and both more than one', () => {
    const common = memory('common', { stems: ['refund'] });
    const rare = memory('rare', { stems: ['teapot'] });
    const both = memory('both', { stems: ['refund', 'teapot'] });
    expect(order([common, rare, both], terms)).toEqual(['both', 'rare', 'common']);
  });

  it('an id that is named stands before any words', () => {
    const wordy = memory('wordy', { stems: ['refund', 'teapot'], size: 2 });
    const old = memory('named', {
      ids: ['order-42'],
      size: 200,
      validFrom: now - 20 * recencyHalfLifeMs,
      confidence: 0,
      source: 'inferred',
    });
    expect(order([wordy, old], terms, ['order-42'])).toEqual(['named', 'wordy']);
  });

  it('of equal words the newer, the surer and the better sourced comes first', () => {
    const same = { stems: ['teapot'] };
    const best = memory('z', same);
    for (const change of [
      { validFrom: now - recencyHalfLifeMs },
      { confidence: 0.5 },
      { source: 'inferred' },
      { size: 80 },
    ] as const)
      expect(order([memory('a', { ...same, ...change }), best], terms)).toEqual(['z', 'a']);
  });

  it('a memory from the future of an as-of question is not more recent than now', () => {
    const [one] = rankRecall([memory('m', { validFrom: now + 1 })], { terms, ids: [] }, corpus, now);
    expect(one?.reasons.parts.recency).toBe(1);
  });

  it('says of each why: every part within 0 to 1, and the words that counted', () => {
    const candidate = memory('m', { stems: ['teapot', 'refund'], ids: ['order-42', 'other'] });
    const [one] = rankRecall([candidate], { terms, ids: ['order-42', 'order-43'] }, corpus, now);
    expect(one?.reasons.ids).toEqual(['order-42']);
    expect(one?.reasons.parts.ids).toBe(0.5);
    expect(one?.reasons.terms.map(({ word }) => word)).toEqual(['teapot', 'refund']);
  });

  const anyCandidate = fc.record({
    id: fc.uuid(),
    stems: fc.subarray(['refund', 'teapot']),
    ids: fc.subarray(['order-42']),
    size: fc.nat(500),
    validFrom: fc.integer({ min: 0, max: 2 * now }),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    source: fc.constantFrom('user_explicit', 'operator', 'tool', 'document', 'inferred'),
  });

  it('R50: the same rows in any order have one order, and every part is a share', () => {
    const candidates = fc.uniqueArray(anyCandidate, { selector: ({ id }) => id, maxLength: 12 });
    fc.assert(
      fc.property(candidates, (given) => {
        const asked = { terms, ids: ['order-42'] };
        const ranked = rankRecall(given, asked, corpus, now);
        expect(rankRecall([...given].reverse(), asked, corpus, now)).toEqual(ranked);
        for (const { score, reasons } of ranked) {
          for (const part of Object.values(reasons.parts)) {
            expect(part).toBeGreaterThanOrEqual(0);
            expect(part).toBeLessThanOrEqual(1);
          }
          expect(Number.isFinite(score)).toBe(true);
        }
      }),
    );
  });
});
