import { randomBytes, randomUUID } from 'node:crypto';
import { tokenFrom } from '../../domain/access/apiToken';
import { letsDecide, scopeNames } from '../../domain/access/scopes';
import { CountersignError } from '../../domain/errors';
import { groups } from '../../domain/people';
import { starterPolicy } from '../../domain/policy/starter';
import type { Person } from '../../ports/directory';
import type { Store, Unit } from '../../ports/store';
import type { Tenants } from '../../ports/tenants';
import { auditChange } from './administer';
import { ableAdministrators, summary, type MintedKey } from './apiKeys';

export interface FirstAdministrator {
  readonly tenant: string;
  /** Of the tenant, where it is made here. */
  readonly tenantName: string;
  readonly person: string;
  readonly displayName: string;
}

/** Who stands in the audit log for what the owner of the database does. */
export const owner = 'owner';

/**
 * The first administrator of a tenant, and the tenant where there is none yet. Runs over the owner's login. Made once:
 * while any administrator has a key that opens, nobody gets another this way; when all are lost, this makes a new one.
 * @throws CountersignError already_exists
 */
export async function bootstrapTenant(
  { store, tenants }: { readonly store: Store; readonly tenants: Tenants },
  { tenant, tenantName, person, displayName }: FirstAdministrator,
): Promise<MintedKey> {
  const created = await tenants.create(tenant, tenantName);
  return store.inTenant(tenant, async (unit) => {
    await unit.directory.lock();
    const actor = { tenant, id: owner };
    if (created) await auditChange(unit, actor, { event: 'tenant_added', after: { tenant } });
    await refuseSecond(unit, tenant);
    const { approverGroup } = starterPolicy.document;
    for (const name of [...Object.values(groups), approverGroup])
      await unit.directory.addGroup(name, meanings[name] ?? '');
    const holder = await administratorNamed(unit, tenant, person, displayName);
    const token = tokenFrom(randomBytes(48));
    const key = await unit.apiKeys.add({
      id: `key_${randomUUID().replaceAll('-', '')}`,
      person: holder.id,
      name: 'first',
      scopes: scopeNames.filter((scope) => scope !== 'refunds:propose' && !letsDecide([scope])),
      createdBy: owner,
      confirmedBy: owner,
      expiresAt: null,
      token,
    });
    await auditChange(unit, actor, { event: 'key_created', after: summary(key) });
    return { key, token };
  });
}

const meanings: Partial<Record<string, string>> = {
  [groups.admins]: 'manage people, keys, policy and memory; approve nothing',
  [groups.proposers]: 'may propose refunds',
  [groups.auditors]: 'read the audit log',
  [starterPolicy.document.approverGroup]: 'decide on refunds',
};

async function refuseSecond(unit: Unit, tenant: string): Promise<void> {
  const able = await ableAdministrators(unit);
  if (able.length === 0) return;
  throw new CountersignError(
    'already_exists',
    `${tenant} has administrators who can sign in: ${able.join(', ')}; they add others`,
    { administrators: able },
  );
}

async function administratorNamed(
  { directory, ...unit }: Unit,
  tenant: string,
  id: string,
  displayName: string,
): Promise<Person> {
  const before = await directory.person(id);
  if (before && before.kind !== 'person')
    throw new CountersignError('already_exists', `${id} is a ${before.kind}; name a person with --person`);
  const wanted = [...new Set([...(before?.groups ?? []), groups.admins])].sort();
  const after = before
    ? await directory.changePerson(before.id, before.version, { groups: wanted, active: true })
    : await directory.addPerson({ id, kind: 'person', displayName, groups: wanted, limitMajor: null });
  if (!after) throw new CountersignError('version_conflict');
  await directory.touchGroups([groups.admins]);
  const seen = (person: Person) => ({ person: id, groups: person.groups, active: person.active });
  await auditChange(
    { directory, ...unit },
    { tenant, id: owner },
    {
      event: before ? 'person_changed' : 'person_added',
      ...(before ? { before: seen(before) } : {}),
      after: seen(after),
    },
  );
  return after;
}
