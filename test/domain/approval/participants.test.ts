import { decisionKinds, type DecisionKind } from '../../../src/domain/approval/message';
import { conclude, decision, hashOf, openApproval, type Somebody } from './approvalFixture';
import { after, hourMs, one, outcome } from './steps';

describe('who may do what', () => {
  const speaking: Somebody[] = ['requester', 'principal'];
  const deciding: Somebody[] = ['ann', 'bob', 'sam', 'lead'];
  const nobody: Somebody[] = ['agent', 'service', 'admin', 'chief', 'foreigner'];
  const everybody = [...speaking, ...deciding, ...nobody];
  const open = after(openApproval(9_000), ['lead', 'request_info']);

  /** Whether the person is stopped for who he is, not for what the state of things is. */
  const stopped = (who: Somebody, kind: DecisionKind): boolean => {
    const to = who === 'bob' ? 'ann' : 'bob';
    const code = outcome(open, [[who, kind, kind === 'delegate' ? { to } : {}]]);
    return ['forbidden', 'separation_of_duties', 'over_limit', 'not_found'].includes(code);
  };

  test.each<[DecisionKind, Somebody[]]>([
    ['approve', deciding],
    ['edit', deciding],
    ['reject', deciding],
    ['request_info', deciding],
    ['escalate', deciding],
    ['delegate', deciding],
    ['claim', deciding],
    ['release', deciding],
    ['answer_info', speaking],
    ['comment', [...speaking, ...deciding]],
  ])('R23: %s is for %j alone', (kind, allowed) => {
    expect(everybody.filter((who) => !stopped(who, kind))).toEqual(allowed);
  });

  test.each(decisionKinds)('R29: no agent or service may %s what it did not ask for', (kind) => {
    for (const who of ['agent', 'service'] as const) expect(stopped(who, kind)).toBe(true);
  });

  test('R23: an agent that asked answers and comments, and decides nothing', () => {
    const byAgent = { ...open, requester: 'agent' };
    const codes = decisionKinds.map((kind) => [
      kind,
      outcome(byAgent, [['agent', kind, kind === 'delegate' ? { to: 'bob' } : {}]]),
    ]);
    expect(codes.filter(([, code]) => code !== 'forbidden')).toEqual([
      ['answer_info', 'open'],
      ['comment', 'open'],
    ]);
  });

  test.each(decisionKinds)(
    'R21: %s that names another revision is refused, and told what differs',
    (kind) => {
      const stale = decision(open, 'ann', kind, { proposalHash: hashOf(7), policyVersion: 'older' });
      expect(() => conclude(open, 'ann', stale)).toThrow(
        expect.objectContaining({
          code: 'decision_stale',
          details: expect.objectContaining({ differs: ['proposalHash', 'policyVersion'] }),
        }),
      );
    },
  );

  test.each(decisionKinds)('R25: %s after the end or at the deadline has no effect', (kind) => {
    expect(outcome(open, [['ann', kind, { at: 72 * hourMs }]])).toBe('approval_expired');
    const over = after(open, ['ann', 'reject']);
    expect(outcome(over, [['bob', kind]])).toBe('already_decided');
  });

  test('R25: a rejection says why in a word, if one is given', () => {
    const over = after(one, ['ann', 'reject', { reasonCode: 'insufficient_evidence' }]);
    expect(over.decidedBy).toMatchObject({ actor: 'ann', reasonCode: 'insufficient_evidence' });
    expect(after(one, ['ann', 'reject']).decidedBy).not.toHaveProperty('reasonCode');
  });
});
