import { claimAt } from '../../../src/domain/approval/handling';
import { after, minuteMs, one, outcome, take, two, withPolicy, type Step } from './steps';

describe('claims', () => {
  test.each<[string, Step[], string]>([
    [
      'its holder approves',
      [
        ['ann', 'claim'],
        ['ann', 'approve'],
      ],
      'approved',
    ],
    [
      'nobody else approves',
      [
        ['ann', 'claim'],
        ['bob', 'approve'],
      ],
      'approval_claimed',
    ],
    [
      'nobody else edits',
      [
        ['ann', 'claim'],
        ['bob', 'edit'],
      ],
      'approval_claimed',
    ],
    [
      'nobody else claims',
      [
        ['ann', 'claim'],
        ['bob', 'claim'],
      ],
      'approval_claimed',
    ],
    [
      'nobody else releases it',
      [
        ['ann', 'claim'],
        ['bob', 'release'],
      ],
      'approval_claimed',
    ],
    [
      'anybody rejects',
      [
        ['ann', 'claim'],
        ['bob', 'reject'],
      ],
      'rejected',
    ],
    [
      'anybody escalates',
      [
        ['ann', 'claim'],
        ['bob', 'escalate'],
      ],
      'open',
    ],
    [
      'anybody comments',
      [
        ['ann', 'claim'],
        ['requester', 'comment'],
      ],
      'open',
    ],
    [
      'once it is released, others approve',
      [
        ['ann', 'claim'],
        ['ann', 'release'],
        ['bob', 'approve'],
      ],
      'approved',
    ],
    ['releasing nothing is no mistake', [['ann', 'release']], 'open'],
    [
      'an escalated group is not bound',
      [
        ['ann', 'claim'],
        ['bob', 'escalate'],
        ['lead', 'approve'],
      ],
      'approved',
    ],
    [
      'one minute before its end it holds',
      [
        ['ann', 'claim'],
        ['bob', 'approve', { at: 29 * minuteMs }],
      ],
      'approval_claimed',
    ],
    [
      'at its end it is over by itself',
      [
        ['ann', 'claim', { at: 0 }],
        ['bob', 'approve', { at: 30 * minuteMs }],
      ],
      'approved',
    ],
    [
      'claimed again, it is renewed',
      [
        ['ann', 'claim', { at: 0 }],
        ['ann', 'claim', { at: 20 * minuteMs }],
        ['bob', 'approve', { at: 40 * minuteMs }],
      ],
      'approval_claimed',
    ],
  ])('R25: %s', (_what, steps, expected) => {
    expect(outcome(one, steps)).toBe(expected);
  });

  test('R25: the refusal says who holds it and until when; policy says how long', () => {
    const claimed = after(withPolicy({ claimMinutes: 5 }), ['ann', 'claim', { at: 0 }]);
    expect(() => take(claimed, ['bob', 'approve'])).toThrow(
      expect.objectContaining({
        details: { claimedBy: 'ann', until: new Date(two.openedAt + 5 * minuteMs).toISOString() },
      }),
    );
    expect(claimAt(claimed, two.openedAt + 5 * minuteMs)).toBeUndefined();
  });

  test('R24: whoever has voted is not at it any more, so that the second voter need not wait', () => {
    expect(
      outcome(two, [
        ['ann', 'claim'],
        ['ann', 'approve'],
        ['bob', 'approve'],
      ]),
    ).toBe('approved');
    expect(after(two, ['ann', 'claim'], ['ann', 'edit']).claim).toBeUndefined();
  });
});

describe('escalation by a person', () => {
  test('R28: it adds the group of the policy at once, removes nobody, and happens once', () => {
    const policy = { escalation: { afterHours: 48, toGroup: 'executives' } };
    const escalated = after(withPolicy(policy, one), ['ann', 'escalate']);
    expect(escalated.escalatedTo).toEqual(['executives']);
    expect(outcome(escalated, [['chief', 'approve']])).toBe('approved');
    expect(outcome(escalated, [['bob', 'approve']])).toBe('approved');
    expect(outcome(escalated, [['bob', 'escalate']])).toBe('already_escalated');
  });

  test('R28: where policy names no group there is none to add', () => {
    const { escalation: _none, ...policy } = one.policy;
    expect(outcome({ ...one, policy }, [['ann', 'escalate']])).toBe('already_escalated');
  });
});
