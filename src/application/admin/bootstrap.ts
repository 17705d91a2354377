import { randomBytes, randomUUID } from 'node:crypto';
import { tokenFrom } from '../../domain/access/apiToken';
import { mayBeOneHuman, owner } from '../../domain/access/independence';
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

/**
 * The first two administrators of a tenant, and the tenant where there is none yet. Runs over the owner's login. While two
 * who are surely two people have keys that open, nobody gets another this way; when all are lost, this makes new ones.
 * Whoever gets a key here loses his others: somebody else may have seen their tokens.
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
    await refuseThird(unit, tenant, person);
    const { approverGroup } = starterPolicy.document;
    for (const name of [...Object.values(groups), approverGroup])
      await unit.directory.addGroup(name, meanings[name] ?? '');
    const holder = await administratorNamed(unit, tenant, person, displayName);
    for (const key of await unit.apiKeys.list({ person: holder.id, state: 'active' })) {
      const ended = await unit.apiKeys.revoke(key.id);
      await auditChange(unit, actor, { event: 'key_revoked', before: summary(key), after: summary(ended) });
    }
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

async function refuseThird(unit: Unit, tenant: string, person: string): Promise<void> {
  const able = await ableAdministrators(unit);
  const keys = await unit.apiKeys.list({});
  const areTwo = able.some((one) => able.some((other) => !mayBeOneHuman(keys, one, other)));
  if (!areTwo && !(able.length === 1 && able[0] === person)) return;
  throw new CountersignError(
    'already_exists',
    `${tenant} has administrators who can sign in: ${able.join(', ')}; ${areTwo ? 'they add others' : 'name the second one with --person'}`,
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
