import fc from 'fast-check';
import { confidenceAt, fadesAfterMs, halfLifeMs, leastBelieved } from '../../../src/domain/memory/decay';
import { comesFrom, lineage } from '../../../src/domain/memory/evidence';
import { judgeCandidate } from '../../../src/domain/memory/gate';
import { embedded } from '../../adapters/policy/policyFixture';

const said = ['user_explicit', 'operator', 'tool', 'document'] as const;

describe('what was inferred fades', () => {
  test('R47: half of its confidence is left after 90 days, and what was said never fades', () => {
    expect(halfLifeMs).toBe(90 * 24 * 3_600_000);
    expect(confidenceAt('inferred', 0.8, halfLifeMs)).toBeCloseTo(0.4, 12);
    for (const source of said) {
      expect(confidenceAt(source, 0.8, 100 * halfLifeMs)).toBe(0.8);
      expect(fadesAfterMs(source, 0.01)).toBeNull();
    }
    expect(fadesAfterMs('inferred', 1)).toBe(2 * halfLifeMs);
    expect(fadesAfterMs('inferred', leastBelieved)).toBe(0);
  });

  test('R47: it is believed until the confidence that is left falls below the least', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.26, max: 1, noNaN: true }), (confidence) => {
        const fadesAfter = fadesAfterMs('inferred', confidence) ?? 0;
        expect(confidenceAt('inferred', confidence, fadesAfter - 1)).toBeGreaterThan(leastBelieved - 1e-9);
        expect(confidenceAt('inferred', confidence, fadesAfter + 2)).toBeLessThan(leastBelieved);
      }),
    );
  });

  test('R43: what nobody would believe is not written at all', () => {
    const candidate = {
      tenantId: 'acme',
      ownerId: 'ann',
      key: 'preference/tea',
      value: 'Likes tea.',
      kind: 'semantic',
      source: 'inferred',
      explicitUserRequest: true,
      evidence: [],
    };
    const actor = { tenant: 'acme', id: 'ann', kind: 'person' };
    const rules = (confidence: number) =>
      judgeCandidate({ ...candidate, confidence }, { actor }, { version: '1', ask: embedded }).ruleIds;
    expect(rules(0.25)).toEqual(['origin.unsure']);
    expect(rules(0.26)).toEqual(['allow.policy', 'policy:remember-asked']);
  });
});

describe('a source', () => {
  test('R46: names itself and what lies below it, and nothing that only looks alike', () => {
    expect(lineage('kb/handbook#3')).toEqual(['kb/handbook#3', 'kb/handbook', 'kb']);
    const from = (ref: string, source: string) =>
      comesFrom({ kind: 'document', ref }, { kind: 'document', ref: source });
    for (const ref of ['handbook', 'handbook#3', 'handbook/2#1']) expect(from(ref, 'handbook')).toBe(true);
    for (const ref of ['handbook2', 'hand', 'Handbook', 'handbook-2', 'my/handbook'])
      expect(from(ref, 'handbook')).toBe(false);
    for (const pattern of ['%', 'handboo_', '*', '']) expect(from('handbook', pattern)).toBe(false);
    expect(comesFrom({ kind: 'turn', ref: 'x' }, { kind: 'run', ref: 'x' })).toBe(false);
  });
});
