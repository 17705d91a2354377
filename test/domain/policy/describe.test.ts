import { describeTable, tableChanges } from '../../../src/domain/policy/describe';
import { policyDocument } from '../../../src/domain/policy/document';
import { embeddedPolicy } from '../../../src/sandbox/embeddedTenants';

describe('a table in words', () => {
  const { document } = embeddedPolicy;

  test('says everything that the table settles', () => {
    const words = describeTable(document);
    expect(words.get('USD')).toBe(
      'up to 50.00 automatic; up to 500.00 1 approver; up to 5000.00 2 approvers; above 2 approvers, one from finance-lead',
    );
    expect(words.get('other currencies')).toBe('any amount 1 approver');
    expect(words.get('expiry')).toBe('after 3 days');
    const text = [...words.values()].join('\n');
    for (const figure of ['50.00', '5000.00', '2000.00', '20000.00', '90 days', '24 h', '48 h', 'approvers'])
      expect(text).toContain(figure);
  });

  test('every field that changes is a change in words', () => {
    const changed: Record<keyof typeof document, unknown> = {
      approverGroup: 'others',
      reviewGroup: 'others',
      tiers: { ...document.tiers, JPY: [{ approvers: 0 }] },
      otherCurrencies: [{ approvers: 2 }],
      refundWindowHours: 1,
      aggregateWindowHours: 1,
      dailyAutomaticCap: { principal: '1', tenant: '1' },
      remindersHours: [],
      escalation: undefined,
      expiryHours: 1,
      infoPauseHours: 1,
      claimMinutes: 1,
      delegateTo: ['others'],
      graceAfterOutageHours: 1,
      outageAfterMinutes: 1,
    };
    for (const [field, value] of Object.entries(changed)) {
      const after = policyDocument.parse({ ...document, [field]: value });
      expect({ field, changes: tableChanges(document, after).length }).toEqual({ field, changes: 1 });
      expect(tableChanges(after, document)).toHaveLength(1);
    }
    expect(tableChanges(document, document)).toEqual([]);
    const { EUR: _gone, ...tiers } = document.tiers;
    expect(tableChanges(document, { ...document, tiers })).toEqual([
      expect.stringMatching(/^EUR: no longer listed; was up to 50.00/),
    ]);
  });
});
