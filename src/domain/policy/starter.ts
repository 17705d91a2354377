import type { PolicyCases } from './cases';
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
  cases: {
    people: {
      service: { kind: 'service', groups: ['proposers'] },
      agent: { kind: 'agent', groups: ['proposers'] },
      approver: { kind: 'person', groups: ['approvers'] },
      admin: { kind: 'person', groups: ['admins'] },
      refunds: { kind: 'workflow', groups: [] },
    },
    cases: [
      { case: 'nothing is automatic', amount: '0.01 USD', then: { votes: 1 } },
      { case: 'an approver decides', who: 'approver', does: 'approve', amount: '50.00 USD', then: 'permit' },
      { case: 'an administrator does not', who: 'admin', does: 'approve', amount: '50.00 USD', then: 'deny' },
      { case: 'what a customer states is remembered', who: 'service', does: 'remember', then: 'permit' },
      { case: 'how a refund ended is remembered', who: 'refunds', does: 'remember', then: 'permit' },
      {
        ...{ case: 'what a model infers is not', who: 'agent', does: 'remember', then: 'deny' },
        memory: { source: 'inferred', asked: false, evidence: ['turn'] },
      },
      {
        ...{ case: "a model's rule of procedure waits", who: 'agent', does: 'suggest', then: 'permit' },
        memory: { kind: 'procedural', source: 'inferred' },
      },
      {
        ...{ case: 'an administrator decides on it', who: 'admin', does: 'review_memory', then: 'permit' },
        memory: { kind: 'procedural', source: 'inferred', proposer: 'agent' },
      },
      { case: 'approvers do not', who: 'approver', does: 'review_memory', then: 'deny' },
      { case: 'everybody forgets what is his own', who: 'approver', does: 'forget', then: 'permit' },
      {
        ...{ case: 'and nothing of others', who: 'approver', does: 'forget', then: 'deny' },
        memory: { owner: 'customer' },
      },
    ],
  } satisfies PolicyCases,
} as const;
