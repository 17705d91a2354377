import { isSameIdentity, normalIdentity } from '../../../src/domain/access/identity';
import { checkAuthority } from '../../../src/domain/approval/authority';
import { checkReviewer } from '../../../src/domain/refund/review';
import { ask, openApproval, people } from '../approval/approvalFixture';

const spellings = [
  'M.Ortiz',
  'm.ortiz',
  '  m.ortiz ',
  'Ｍ．Ｏｒｔｉｚ',
  'm.ort\u200biz',
  'm.ortíz',
  'M\u00ad.ORTIZ',
];

describe('identities', () => {
  test.each(spellings)('R23: %j is m.ortiz', (spelling) => {
    expect(normalIdentity(spelling)).toBe('m.ortiz');
    expect(isSameIdentity(spelling, 'm.ortiz')).toBe(true);
  });

  test.each(['m.оrtiz', 'm ortiz', '', '  ', '日本', 'x'.repeat(129), 'a\nb'])(
    'R23: %j names nobody, and so is refused rather than taken for somebody else',
    (text) => {
      expect(normalIdentity(text)).toBeUndefined();
    },
  );

  test('R23: others are others, and nobody is nobody', () => {
    expect(isSameIdentity('m.ortiz', 'm.ortis')).toBe(false);
    for (const [one, other] of [
      [null, null],
      [undefined, undefined],
      ['', null],
      [null, 'm.ortiz'],
    ] as const)
      expect(isSameIdentity(one, other)).toBe(false);
  });

  test.each(spellings)('R23: asked for on behalf of %j, m.ortiz neither approves nor reviews', (spelling) => {
    const who = { ...people.ann, id: 'm.ortiz', groups: ['approvers', 'finance-lead'] };
    const asked = openApproval(12_000, { onBehalfOf: spelling });
    expect(() => checkAuthority(asked, who, 'approve', ask)).toThrow(
      expect.objectContaining({ code: 'separation_of_duties' }),
    );
    const run = {
      tenant: 'acme',
      requester: 'shop',
      onBehalfOf: spelling,
      amount: { minor: 12_000, currency: 'USD' },
      request: { reason: 'damaged' },
    } as const;
    expect(() => checkReviewer('finance-lead', who, run, ask)).toThrow(
      expect.objectContaining({ code: 'separation_of_duties' }),
    );
  });
});
