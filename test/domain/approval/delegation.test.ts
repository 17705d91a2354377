import { askAnew, voidVotes } from '../../../src/domain/approval/decide';
import type { ApprovalState } from '../../../src/domain/approval/state';
import { conclude, decision, hashOf, openApproval, policyFor } from './approvalFixture';
import { after, outcome, two, withPolicy, type Step } from './steps';

const voters = ({ votes }: ApprovalState) => votes.map((v) => v.actor);

describe('delegation', () => {
  const given = after(two, ['ann', 'delegate', { to: 'lead' }]);

  test.each<[string, Partial<ApprovalState['policy']>, Step[], string]>([
    ['to the requester', {}, [['ann', 'delegate', { to: 'requester' }]], 'separation_of_duties'],
    [
      'to the person behind the requester',
      {},
      [['ann', 'delegate', { to: 'principal' }]],
      'separation_of_duties',
    ],
    ['to an agent', {}, [['ann', 'delegate', { to: 'agent' }]], 'forbidden'],
    ['to a service', {}, [['ann', 'delegate', { to: 'service' }]], 'forbidden'],
    ['to an administrator', {}, [['ann', 'delegate', { to: 'admin' }]], 'forbidden'],
    ['to somebody of no group that policy names', {}, [['ann', 'delegate', { to: 'chief' }]], 'forbidden'],
    ['to oneself', {}, [['ann', 'delegate', { to: 'ann' }]], 'invalid_request'],
    ['to somebody of another tenant', {}, [['ann', 'delegate', { to: 'foreigner' }]], 'invalid_request'],
    ['to nobody', {}, [['ann', 'delegate', { to: 'ghost' }]], 'invalid_request'],
    ['by the requester', {}, [['requester', 'delegate', { to: 'ann' }]], 'separation_of_duties'],
    [
      'after voting',
      {},
      [
        ['ann', 'approve'],
        ['ann', 'delegate', { to: 'lead' }],
      ],
      'already_voted',
    ],
    [
      'twice',
      {},
      [
        ['ann', 'delegate', { to: 'lead' }],
        ['ann', 'delegate', { to: 'bob' }],
      ],
      'already_delegated',
    ],
    [
      'back in a circle',
      {},
      [
        ['ann', 'delegate', { to: 'lead' }],
        ['lead', 'delegate', { to: 'ann' }],
      ],
      'already_delegated',
    ],
    [
      'to a second one at once',
      {},
      [
        ['ann', 'delegate', { to: 'lead' }],
        ['bob', 'delegate', { to: 'lead' }],
      ],
      'already_delegated',
    ],
    [
      'to a group that policy names for it',
      { delegateTo: ['executives'] },
      [['ann', 'delegate', { to: 'chief' }]],
      'open',
    ],
    [
      'on along a chain',
      {},
      [
        ['ann', 'delegate', { to: 'lead' }],
        ['lead', 'delegate', { to: 'bob' }],
      ],
      'open',
    ],
  ])('R23: %s', (_what, policy, steps, expected) => {
    if (steps.at(-1)?.[2]?.to === 'foreigner') {
      // His id is that of ann, who is another person in another tenant.
      const foreign = decision(two, 'bob', 'delegate', { to: 'foreigner' });
      expect(() => conclude(two, 'bob', foreign)).toThrow(expect.objectContaining({ code: 'forbidden' }));
      return;
    }
    expect(outcome(withPolicy(policy), steps)).toBe(expected);
  });

  test('R24: a say that was handed over counts once: its giver votes no more, and may still reject', () => {
    expect(outcome(given, [['ann', 'approve']])).toBe('already_delegated');
    expect(outcome(given, [['ann', 'edit']])).toBe('already_delegated');
    expect(outcome(given, [['ann', 'claim']])).toBe('already_delegated');
    expect(outcome(given, [['ann', 'reject']])).toBe('rejected');
    expect(
      outcome(given, [
        ['lead', 'approve'],
        ['bob', 'approve'],
      ]),
    ).toBe('approved');
  });

  test('R23: a delegate decides within his own limit and with his own groups', () => {
    const small = withPolicy({ delegateTo: ['executives'] }, openApproval(60_000));
    const chief = after(small, ['ann', 'delegate', { to: 'chief' }], ['chief', 'approve']);
    expect(chief.votes).toMatchObject([{ actor: 'chief', onAuthorityOf: 'ann' }]);
    expect(outcome(after(two, ['ann', 'delegate', { to: 'sam' }]), [['sam', 'approve']])).toBe('over_limit');
    const large = openApproval(600_000, { policy: { ...policyFor(600_000), delegateTo: ['executives'] } });
    const instead = after(
      large,
      ['lead', 'delegate', { to: 'chief' }],
      ['chief', 'approve'],
      ['ann', 'approve'],
    );
    // The group of the one who gave it is not handed over with his say.
    expect([instead.status, voters(instead)]).toEqual(['open', ['chief', 'ann']]);
  });

  test('R23: the chain is kept, and a vote at its end rests on who began it', () => {
    const policy = { delegateTo: ['executives'] };
    const chain = after(
      withPolicy(policy),
      ['ann', 'delegate', { to: 'bob' }],
      ['bob', 'delegate', { to: 'chief' }],
      ['chief', 'approve'],
    );
    expect(chain.delegations?.map(({ from, to }) => [from, to])).toEqual([
      ['ann', 'bob'],
      ['bob', 'chief'],
    ]);
    expect(chain.votes).toMatchObject([{ actor: 'chief', onAuthorityOf: 'ann' }]);
  });

  test('R23: taken back, it takes all with it that was handed on from there; used, it can not be taken back', () => {
    const policy = { delegateTo: ['executives'] };
    const chain = after(
      withPolicy(policy),
      ['ann', 'delegate', { to: 'bob' }],
      ['bob', 'delegate', { to: 'chief' }],
    );
    const back = after(chain, ['ann', 'withdraw']);
    expect(back.delegations).toEqual([]);
    expect(outcome(back, [['chief', 'approve']])).toBe('forbidden');
    expect(outcome(back, [['ann', 'approve']])).toBe('open');
    expect(
      outcome(chain, [
        ['chief', 'approve'],
        ['ann', 'withdraw'],
      ]),
    ).toBe('nothing_to_withdraw');
  });

  test('R27: a reset makes what was handed over inert, and nobody is at it any more', () => {
    const busy = after(two, ['ann', 'delegate', { to: 'lead' }], ['bob', 'claim'], ['bob', 'request_info']);
    const { arguments: args, policy } = busy;
    const again = askAnew(busy, { arguments: args, policy, proposalHash: hashOf(2) });
    expect(again).toMatchObject({ revision: 2, votes: [], status: 'open', questions: [{ by: 'bob' }] });
    expect([again.delegations, again.claim]).toEqual([undefined, undefined]);
  });
});

describe('taking a vote back', () => {
  test.each<[string, Step[], string]>([
    ['without a vote there is nothing', [['ann', 'withdraw']], 'nothing_to_withdraw'],
    [
      "nobody takes another's vote back",
      [
        ['ann', 'approve'],
        ['bob', 'withdraw'],
      ],
      'nothing_to_withdraw',
    ],
    ['the requester has none', [['requester', 'withdraw']], 'nothing_to_withdraw'],
    ['a service has none', [['service', 'withdraw']], 'forbidden'],
    [
      'what was taken back does not count',
      [
        ['ann', 'approve'],
        ['ann', 'withdraw'],
        ['bob', 'approve'],
      ],
      'open',
    ],
    [
      'who took it back may give it again',
      [
        ['ann', 'approve'],
        ['ann', 'withdraw'],
        ['ann', 'approve'],
        ['bob', 'approve'],
      ],
      'approved',
    ],
    [
      'not once it is decided',
      [
        ['ann', 'approve'],
        ['bob', 'approve'],
        ['ann', 'withdraw'],
      ],
      'already_decided',
    ],
  ])('R24: %s', (_what, steps, expected) => {
    expect(outcome(two, steps)).toBe(expected);
  });

  test('R24: each withdrawal is counted, until another revision starts anew', () => {
    const twice = after(
      two,
      ['ann', 'approve'],
      ['ann', 'withdraw'],
      ['ann', 'approve'],
      ['ann', 'withdraw'],
    );
    expect(twice.withdrawals).toEqual({ ann: 2 });
    expect(after(twice, ['bob', 'edit']).withdrawals).toBeUndefined();
  });

  test('R23: a vote that was voided for a lost role leaves nothing to take back', () => {
    const voided = voidVotes(after(two, ['ann', 'approve']), ['ann']);
    expect(outcome(voided, [['ann', 'withdraw']])).toBe('nothing_to_withdraw');
  });
});
