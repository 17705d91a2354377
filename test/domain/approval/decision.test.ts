import { applyEdit, decisionBody, decisionContent } from '../../../src/domain/approval/decision';
import { readDecisionMessage } from '../../../src/domain/approval/message';
import { refusalOf } from '../money/arbitraries';
import { decision, openApproval } from './approvalFixture';

const hash = 'a'.repeat(64);
const usd = (value: string) => ({ amount: { value, currency: 'USD' } });
const current = { amount: { minor: 12_000, currency: 'USD' }, reason: 'damaged' } as const;

describe('the body of a decision', () => {
  test.each([
    ['an unknown decision', { decision: 'bless' }],
    ['a hash that is too short', { proposalHash: 'a'.repeat(63) }],
    ['a hash in upper case', { proposalHash: 'A'.repeat(64) }],
    ['no hash', { proposalHash: undefined }],
    ['a revision of zero', { revision: 0 }],
    ['arguments without an edit', { arguments: usd('1.00') }],
    ['an edit without arguments', { decision: 'edit' }],
    ['an edit of nothing', { decision: 'edit', arguments: {} }],
    ['an edit of the action', { decision: 'edit', arguments: { ...usd('1.00'), action: 'charge' } }],
    ['an edit of the target', { decision: 'edit', arguments: { target: 'ch_2' } }],
    ['an actor of its own', { actor: 'lead' }],
    ['a comment with a NUL', { comment: 'a\u0000' }],
    ['a comment of 2001 characters', { comment: 'c'.repeat(2001) }],
    ['an id of 101 characters', { decisionId: 'd'.repeat(101) }],
    ['an id with a space', { decisionId: 'a b' }],
    ['a delegation to nobody', { decision: 'delegate' }],
    ['an approval that is handed over', { to: 'lead' }],
    ['a question without words', { decision: 'request_info' }],
    ['a question of blanks', { decision: 'request_info', comment: '  \n' }],
    ['an answer without words', { decision: 'answer_info', questionId: 'q1' }],
    ['a comment without words', { decision: 'comment' }],
    ['an approval of a question', { questionId: 'q1' }],
    ['a reason code that nobody knows', { decision: 'reject', reasonCode: 'mood' }],
    ['an approval with a reason code', { reasonCode: 'other' }],
    ['evidence that is no list', { evidenceSeen: 'evidence-1' }],
    ['51 pieces of evidence', { evidenceSeen: Array.from({ length: 51 }, (_, i) => `evidence-${i}`) }],
  ])('R22: %s is refused', (_what, change: Record<string, unknown>) => {
    const body = { decision: 'approve', proposalHash: hash, ...change };
    expect(decisionBody.safeParse(body).success).toBe(false);
  });

  test('R21: every kind passes with hash, revision, policy version, comment, evidence and id, and what it needs', () => {
    for (const more of [{}, { revision: 3, comment: 'seen', decisionId: 'click-1' }]) {
      expect(decisionBody.safeParse({ decision: 'approve', proposalHash: hash, ...more }).success).toBe(true);
    }
    const named = { proposalHash: hash, policyVersion: '2026-11-01', evidenceSeen: ['evidence-1'] };
    for (const body of [
      { decision: 'reject', reasonCode: 'suspected_fraud' },
      { decision: 'request_info', comment: 'which parcel?' },
      { decision: 'answer_info', comment: 'the second', questionId: 'q1' },
      { decision: 'delegate', to: 'lead' },
      ...['escalate', 'claim', 'release', 'withdraw'].map((decision) => ({ decision })),
      { decision: 'comment', comment: 'the customer called' },
    ]) {
      expect(decisionBody.safeParse({ ...named, ...body }).success).toBe(true);
    }
    const edit = { decision: 'edit', proposalHash: hash, arguments: { ...usd('1.00'), reason: 'goodwill' } };
    expect(decisionBody.safeParse(edit).success).toBe(true);
  });

  test('R29: the message to a run carries no actor of its own and nothing beyond its proof', () => {
    const recorded = {
      kind: 'recorded',
      approvalId: 'apr_1',
      decisionId: 'd',
      decision: 'approve',
      proposalHash: hash,
    };
    expect(readDecisionMessage(recorded)).toEqual(recorded);
    expect(readDecisionMessage({ kind: 'signed', jws: 'a.b.c' })).toEqual({ kind: 'signed', jws: 'a.b.c' });
    for (const rubbish of [
      { ...recorded, actor: 'lead' },
      { ...recorded, decision: 'approved' },
      { ...recorded, approvalId: '' },
      { ...recorded, proposalHash: 'f'.repeat(65) },
      { kind: 'signed', jws: 'j'.repeat(8_193) },
      { kind: 'signed', jws: 'a.b.c', actor: 'lead' },
      { kind: 'signed' },
      { kind: 'other' },
      'approve',
      null,
      undefined,
    ]) {
      expect(readDecisionMessage(rubbish)).toBeUndefined();
    }
  });
});

describe('what an edit changes', () => {
  test('R22: only what it names, in the currency of the payment', () => {
    expect(applyEdit(current, usd('100'))).toEqual({
      amount: { minor: 10_000, currency: 'USD' },
      reason: 'damaged',
    });
    expect(applyEdit(current, { reason: 'goodwill' })).toEqual({ ...current, reason: 'goodwill' });
  });

  test.each([
    ['edit_changes_nothing', usd('120.0')],
    ['edit_changes_nothing', { reason: 'damaged' as const }],
    ['currency_mismatch', { amount: { value: '100.00', currency: 'EUR' } }],
    ['amount_not_positive', usd('0')],
    ['amount_invalid', usd('-1')],
    ['amount_too_precise', usd('1.001')],
  ])('R22: refuses with %s', (code, edit) => {
    expect(refusalOf(() => applyEdit(current, edit))).toBe(code);
  });
});

test('R25: two decisions of one id are the same whenever and however they came, and no other way', () => {
  const first = decision(openApproval(12_000), 'ann', 'approve');
  expect(decisionContent({ ...first, receivedAt: first.receivedAt + 5 })).toBe(decisionContent(first));
  for (const change of [
    { actor: 'bob' },
    { decision: 'reject' as const },
    { proposalHash: hash },
    { approvalId: 'apr_2' },
    { arguments: usd('1.00') },
    { to: 'lead' },
    { questionId: 'q1' },
    { reasonCode: 'other' as const },
    { commentHash: hash },
  ]) {
    expect(decisionContent({ ...first, ...change })).not.toBe(decisionContent(first));
  }
});
