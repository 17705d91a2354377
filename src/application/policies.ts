import { createHash, randomUUID } from 'node:crypto';
import { CountersignError } from '../domain/errors';
import { refuseUnlessPermitted } from '../domain/policy/authorization';
import type { Policy } from '../domain/policy/document';
import type { Principal } from '../ports/people';
import type { PublishedPolicy } from '../ports/policies';
import type { Unit } from '../ports/store';
import { checkPermitted } from './authorize';
import type { UseCases } from './dependencies';
import { refuseSensitive } from './freeText';
import {
  differencesOf,
  reportOn,
  type PolicyReport,
  type ValidPolicy,
  type WrittenPolicy,
} from './policyReport';

const notYours = 'only an administrator publishes policies';

export interface PolicyToPublish extends WrittenPolicy {
  /** The version that is replaced: as the publisher has compared with it (R34). */
  readonly expectedVersion: string;
  readonly version?: string | undefined;
  readonly comment?: string | undefined;
}

/** @throws CountersignError forbidden */
export async function listPolicies(
  useCases: UseCases,
  principal: Principal,
  page: { readonly before?: number; readonly limit: number },
): Promise<{ items: PublishedPolicy[]; next: number | null }> {
  await checkPermitted(useCases, { who: principal, action: 'view', setting: 'policies' }, notYours);
  return useCases.store.inTenant(principal.tenant, (unit) => unit.policies.list(page));
}

/** @throws CountersignError not_found, forbidden */
export async function showPolicy(
  useCases: UseCases,
  principal: Principal,
  version: string,
): Promise<PublishedPolicy> {
  const found = await useCases.store.inTenant(principal.tenant, (unit) => unit.policies.find(version));
  if (!found) throw new CountersignError('not_found');
  await checkPermitted(useCases, { who: principal, action: 'view', setting: 'policies' }, notYours);
  return found;
}

/** What `version` changed of `before`, another one. @throws CountersignError not_found, forbidden */
export async function comparePolicies(
  useCases: UseCases,
  principal: Principal,
  before: string,
  version: string,
): Promise<Pick<PolicyReport, 'changes' | 'changedAnswers'>> {
  const [was, is] = await Promise.all([
    showPolicy(useCases, principal, before),
    showPolicy(useCases, principal, version),
  ]);
  return differencesOf(useCases.authorization, was, is);
}

/** What would come of publishing it; nothing is changed. @throws CountersignError forbidden */
export async function checkPolicy(
  useCases: UseCases,
  principal: Principal,
  written: WrittenPolicy,
): Promise<PolicyReport> {
  await checkPermitted(useCases, { who: principal, action: 'manage', setting: 'policies' }, notYours);
  const current = await useCases.store.inTenant(principal.tenant, inForce);
  return reportOn(useCases.authorization, written, current);
}

/**
 * Publishes a version: checked, its example cases run, and audited in the same transaction. What waits for people
 * goes on under the version that it was opened under, and meets this one before money moves.
 * @throws CountersignError policy_invalid, sensitive_text, forbidden, version_conflict, in this order
 */
export async function publishPolicy(
  useCases: UseCases,
  principal: Principal,
  proposed: PolicyToPublish,
): Promise<PublishedPolicy> {
  refuseSensitive('comment', proposed.comment);
  refuseSensitive('cedar', proposed.cedar);
  refuseSensitive('cases', JSON.stringify(proposed.cases));
  const valid = validOf(useCases, proposed);
  const outcome = await useCases.store.inTenant(principal.tenant, async (unit) => {
    if (valid instanceof CountersignError) return auditRefusal(unit, principal, valid);
    try {
      checkPublisher(useCases, principal, await unit.policies.newest(), valid);
      return await publish(unit, principal, proposed, valid);
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      return auditRefusal(unit, principal, error);
    }
  });
  if (outcome instanceof CountersignError) throw outcome;
  return outcome;
}

/** @returns what is wrong with it, all of it at once */
function validOf({ authorization }: UseCases, proposed: PolicyToPublish): ValidPolicy | CountersignError {
  const { problems, cases, valid } = reportOn(authorization, proposed);
  if (!valid) return new CountersignError('policy_invalid', problems[0]?.message, { problems });
  const failed = cases.filter(({ passed }) => !passed);
  const [first] = failed;
  if (first) {
    return new CountersignError(
      'policy_invalid',
      `the case "${first.case}" expects ${first.expected} and gets ${first.got}`,
      { cases: failed },
    );
  }
  if (cases.length === 0)
    return new CountersignError('policy_invalid', 'a policy is published with at least one example case');
  return valid;
}

/** He may publish now, and also the next one: no tenant locks itself out. */
function checkPublisher(
  { authorization }: UseCases,
  principal: Principal,
  inForce: Policy,
  next: ValidPolicy,
): void {
  const question = { who: principal, action: 'manage', setting: 'policies' } as const;
  refuseUnlessPermitted(authorization.under(inForce)(question), notYours);
  if (authorization.under(next)(question).allowed) return;
  throw new CountersignError(
    'policy_invalid',
    `under this policy ${principal.id} could publish no further one; let somebody publish it who still may`,
  );
}

async function publish(
  unit: Unit,
  principal: Principal,
  { expectedVersion, version, comment }: PolicyToPublish,
  { cedar, document, cases }: ValidPolicy,
): Promise<PublishedPolicy> {
  const published = await unit.policies.publish(
    {
      ...(version === undefined ? {} : { version }),
      document,
      cedar,
      cases,
      publishedBy: principal.id,
      ...(comment === undefined ? {} : { comment }),
    },
    expectedVersion,
  );
  await unit.audit.append({
    runId: auditChain(principal.tenant),
    actor: principal.id,
    event: 'policy_published',
    step: `publish:${published.version}`,
    before: { version: expectedVersion },
    after: { version: published.version, number: published.number, content: digest(published) },
    policyVersion: published.version,
  });
  return published;
}

async function auditRefusal(
  unit: Unit,
  { id, tenant }: Principal,
  error: CountersignError,
): Promise<CountersignError> {
  await unit.audit.append({
    runId: auditChain(tenant),
    actor: id,
    event: 'policy_refused',
    step: `publish_refused:${randomUUID()}`,
    reason: error.code,
  });
  return error;
}

/** A tenant's policy has an audit chain of its own, as each run has. */
export function auditChain(tenant: string): string {
  return `policy/${tenant}`;
}

/** Shows on the log that a stored version is what was published. */
function digest({ cedar, document }: PublishedPolicy): string {
  return createHash('sha256')
    .update(JSON.stringify([cedar, document]))
    .digest('hex');
}

async function inForce(unit: Unit): Promise<ValidPolicy | undefined> {
  const { version } = await unit.policies.newest();
  return unit.policies.find(version);
}
