import type { PolicyDocument } from './document';

/**
 * What a new tenant begins with, until its administrators publish their own: nothing is automatic, and one member of
 * `approvers` decides on every refund.
 */
export const starterPolicy = {
  version: 'starter',
  document: {
    approverGroup: 'approvers',
    reviewGroup: 'approvers',
    tiers: {},
    otherCurrencies: [{ approvers: 1 }],
    refundWindowHours: 90 * 24,
    aggregateWindowHours: 24,
    dailyAutomaticCap: { principal: '0', tenant: '0' },
    remindersHours: [24, 48],
    expiryHours: 72,
  } satisfies PolicyDocument,
} as const;
