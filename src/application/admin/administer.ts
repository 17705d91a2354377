import { randomUUID } from 'node:crypto';
import { checkAdministrator } from '../../domain/access/separation';
import { CountersignError } from '../../domain/errors';
import type { Person } from '../../ports/directory';
import type { Principal } from '../../ports/people';
import type { Unit } from '../../ports/store';
import type { UseCases } from '../dependencies';

/** The tenant's own chain in the audit log, beside those of its runs. */
export const tenantChain = (tenant: string): string => `tenant/${tenant}`;

/** One change of who may do what. Ids, groups and figures, no personal data: it stays for good. */
export interface AdminChange {
  readonly event: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly reason?: string;
}

export async function auditChange(
  unit: Unit,
  actor: Pick<Principal, 'tenant' | 'id'>,
  change: AdminChange,
): Promise<void> {
  await unit.audit.append({
    ...change,
    runId: tenantChain(actor.tenant),
    actor: actor.id,
    step: `${change.event}:${randomUUID()}`,
  });
}

/**
 * One change by an administrator, with its audit row in the same transaction and one at a time for a tenant. That he is
 * one is read afresh. A refused attempt changes nothing and is on the audit log.
 * @throws CountersignError forbidden, and whatever `work` refuses with
 */
export async function administer<T>(
  { store }: Pick<UseCases, 'store'>,
  principal: Principal,
  attempt: string,
  work: (unit: Unit, actor: Person) => Promise<T>,
): Promise<T> {
  try {
    return await store.inTenant(principal.tenant, async (unit) => {
      await unit.directory.lock();
      return work(unit, await administratorOf(unit, principal));
    });
  } catch (error) {
    if (error instanceof CountersignError && (error.status === 403 || error.status === 409))
      await refused({ store }, principal, attempt, error);
    throw error;
  }
}

/** @throws CountersignError forbidden */
export async function readAsAdministrator<T>(
  { store }: Pick<UseCases, 'store'>,
  principal: Principal,
  work: (unit: Unit) => Promise<T>,
): Promise<T> {
  return store.inTenant(principal.tenant, async (unit) => {
    await administratorOf(unit, principal);
    return work(unit);
  });
}

/**
 * Before anything is looked up or read: who is no administrator learns nothing of what there is.
 * @throws CountersignError forbidden, on the audit log where he tried to change something
 */
export async function admitAdministrator(
  { store }: Pick<UseCases, 'store'>,
  principal: Principal,
  attempt: string | undefined,
): Promise<void> {
  try {
    checkAdministrator(principal);
  } catch (error) {
    if (attempt !== undefined && error instanceof CountersignError)
      await refused({ store }, principal, attempt, error);
    throw error;
  }
}

async function administratorOf({ directory }: Unit, principal: Principal): Promise<Person> {
  const person = await directory.person(principal.id);
  checkAdministrator(person?.active ? person : undefined);
  return person as Person;
}

async function refused(
  { store }: Pick<UseCases, 'store'>,
  principal: Principal,
  attempt: string,
  { code }: CountersignError,
): Promise<void> {
  await store.inTenant(principal.tenant, (unit) =>
    auditChange(unit, principal, { event: 'admin_refused', after: { attempt }, reason: code }),
  );
}

/** @throws CountersignError version_conflict */
export function stale(current: number): CountersignError {
  return new CountersignError('version_conflict', undefined, { currentVersion: current });
}
