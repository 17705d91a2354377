import { join } from 'node:path';
import { policyCases } from '../domain/policy/cases';
import { policyDocument } from '../domain/policy/document';
import { readPolicyFolder } from '../main/policyFolder';
import { packageRoot } from '../main/version';

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

const folder = readPolicyFolder(join(packageRoot, 'policies', 'embedded'));

/** Rules, table and example cases stand in `policies/embedded`, as a tenant of yours would keep them. */
export const embeddedPolicy = {
  version: '2026-11-01',
  document: policyDocument.parse(folder.table),
  cedar: folder.cedar,
  cases: policyCases.parse(folder.cases),
} as const;
