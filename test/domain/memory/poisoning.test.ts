import { judgeCandidate, type MemoryActor } from '../../../src/domain/memory/gate';
import { embedded, permitAll, under } from '../../adapters/policy/policyFixture';
import { hostileCandidates, type Hostile } from './hostileCandidates';

const actors: Record<'service' | 'person' | 'agent', MemoryActor> = {
  service: { tenant: 'acme', id: 'service', kind: 'service', groups: ['proposers'] },
  person: { tenant: 'acme', id: 'ann', kind: 'person', groups: ['admins'] },
  agent: { tenant: 'acme', id: 'agent', kind: 'agent', groups: ['proposers'] },
};

function judge({ by, ...change }: Hostile, ask = embedded) {
  const candidate = {
    tenantId: 'acme',
    ownerId: 'ann',
    key: 'preference/service',
    kind: 'semantic',
    source: 'user_explicit',
    explicitUserRequest: true,
    confidence: 1,
    evidence: [{ kind: 'turn', ref: 'thread-1/4' }],
    ...change,
  };
  return judgeCandidate(candidate, { actor: actors[by ?? 'service'] }, { version: '1', ask });
}

describe('poisoning', () => {
  test('R43: there are at least 60 hostile candidates, and no two are alike', () => {
    expect(hostileCandidates.length).toBeGreaterThanOrEqual(60);
    expect(new Set(hostileCandidates.map((one) => JSON.stringify(one))).size).toBe(hostileCandidates.length);
  });

  test.each(hostileCandidates.map((one) => [one.value.slice(0, 60), one] as const))(
    'R43: is not written: %s',
    (_text, hostile) => {
      const judgement = judge(hostile);
      expect(judgement).toMatchObject({ allowed: false });
      expect(judgement.write).toBeUndefined();
      expect(judgement.wait !== undefined).toBe(hostile.kind === 'procedural');
      // Whatever a tenant permits.
      expect(judge(hostile, under(permitAll())).write).toBeUndefined();
    },
  );

  test('R43: as rules of procedure, what claims authority or is sensitive does not even wait', () => {
    for (const { value } of hostileCandidates.slice(0, 62)) {
      const judgement = judge({ value, kind: 'procedural', source: 'inferred', by: 'agent' });
      expect({ value, waits: judgement.wait !== undefined }).toEqual({ value, waits: false });
    }
  });
});
