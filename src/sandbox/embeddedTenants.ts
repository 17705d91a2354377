import type { PolicyDocument } from '../domain/policy/document';

/**
 * The two tenants of the embedded setup, their people and their policy. They exist only there: `countersign up`
 * seeds them, and a production database never has them.
 */
export const embeddedPeople = {
  service: { kind: 'service', name: 'Support service', groups: ['proposers'], limitMajor: null },
  agent: { kind: 'agent', name: 'Support agent (AI)', groups: ['proposers'], limitMajor: null },
  reviewer1: {
    kind: 'person',
    name: 'Reviewer One',
    groups: ['approvers', 'proposers'],
    limitMajor: '5000.00',
  },
  reviewer2: {
    kind: 'person',
    name: 'Reviewer Two',
    groups: ['approvers', 'proposers'],
    limitMajor: '5000.00',
  },
  lead: {
    kind: 'person',
    name: 'Finance lead',
    groups: ['approvers', 'finance-lead', 'proposers'],
    limitMajor: null,
  },
  admin: { kind: 'person', name: 'Administrator', groups: ['admins'], limitMajor: null },
} as const;

export type EmbeddedPerson = keyof typeof embeddedPeople;

export const embeddedTenants = { acme: 'Acme', globex: 'Globex' } as const;

const tiers = [
  { upTo: '50.00', approvers: 0 },
  { upTo: '500.00', approvers: 1 },
  { upTo: '5000.00', approvers: 2 },
  { approvers: 2, oneFrom: 'finance-lead' },
];

export const embeddedPolicy = {
  version: '2026-11-01',
  document: {
    approverGroup: 'approvers',
    reviewGroup: 'finance-lead',
    tiers: { USD: tiers, EUR: tiers },
    otherCurrencies: [{ approvers: 1 }],
    refundWindowHours: 90 * 24,
    aggregateWindowHours: 24,
    dailyAutomaticCap: { principal: '2000.00', tenant: '20000.00' },
    remindersHours: [24, 48],
    escalation: { afterHours: 48, toGroup: 'finance-lead' },
    expiryHours: 72,
  } satisfies PolicyDocument,
} as const;
