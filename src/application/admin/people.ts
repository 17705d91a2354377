import { mayBeOneHuman } from '../../domain/access/independence';
import { checkGroupsFit, checkNotHimself, unfit } from '../../domain/access/separation';
import type { NewPerson, PersonChange } from '../../domain/access/bodies';
import { CountersignError } from '../../domain/errors';
import type { PeopleFilter, Person, PersonFields } from '../../ports/directory';
import type { Principal } from '../../ports/people';
import type { Unit } from '../../ports/store';
import type { UseCases } from '../dependencies';
import { refuseSensitive } from '../freeText';
import { administer, auditChange, readAsAdministrator, stale } from './administer';

export async function listPeople(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  filter: PeopleFilter,
): Promise<{ items: Person[]; next: string | null }> {
  return readAsAdministrator(useCases, principal, ({ directory }) => directory.people(filter));
}

/** @throws CountersignError not_found */
export async function showPerson(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  id: string,
): Promise<Person> {
  return readAsAdministrator(useCases, principal, (unit) => personOr404(unit, id));
}

/** @throws CountersignError invalid_request, sensitive_text, already_exists */
export async function addPerson(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  body: NewPerson,
): Promise<Person> {
  refuseSensitive('displayName', body.displayName);
  checkGroupsFit(body.kind, body.groups);
  return administer(useCases, principal, `add person ${body.id}`, async (unit) => {
    const groups = await knownGroups(unit, body.groups);
    const { id, kind, displayName, limit: limitMajor } = body;
    const added = await unit.directory.addPerson({ id, kind, displayName, groups, limitMajor });
    if (!added) throw new CountersignError('already_exists', `there is a ${id} already`);
    await unit.directory.touchGroups(groups);
    await auditChange(unit, principal, { event: 'person_added', after: summary(added) });
    return added;
  });
}

/**
 * Changes what is given, from the version that was read. Whoever is deactivated is out at once: his keys open nothing,
 * and a vote that he gave no longer counts when the refund is about to be paid.
 * @throws CountersignError not_found, invalid_request, sensitive_text; separation_of_duties for his own groups, limit or
 * activity; version_conflict
 */
export async function changePerson(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  id: string,
  { version, displayName, groups: wanted, limit, active }: PersonChange,
): Promise<Person> {
  refuseSensitive('displayName', displayName);
  return administer(useCases, principal, `change person ${id}`, async (unit, actor) => {
    const before = await personOr404(unit, id);
    const groups = wanted && (await knownGroups(unit, wanted));
    if (groups) checkGroupsFit(before.kind, groups);
    const fields: PersonFields = {
      ...(displayName === undefined ? {} : { displayName }),
      ...(groups === undefined ? {} : { groups }),
      ...(limit === undefined ? {} : { limitMajor: limit }),
      ...(active === undefined ? {} : { active }),
    };
    return change(unit, principal, actor, before, version, fields);
  });
}

/** Part of a change that holds the tenant's lock. */
export async function change(
  unit: Unit,
  principal: Principal,
  actor: Person,
  before: Person,
  version: number,
  fields: PersonFields,
): Promise<Person> {
  const { displayName: _name, ...power } = fields;
  if (Object.keys(power).length > 0)
    checkNotHimself(actor, before, mayBeOneHuman(await unit.apiKeys.list({}), actor.id, before.id));
  const after = await unit.directory.changePerson(before.id, version, fields);
  if (!after) throw stale(before.version);
  await unit.directory.touchGroups(difference(before.groups, after.groups));
  await auditChange(unit, principal, {
    event: 'person_changed',
    before: summary(before),
    after: {
      ...summary(after),
      ...(before.displayName === after.displayName ? {} : { displayName: 'changed' }),
    },
  });
  return after;
}

export async function personOr404({ directory }: Unit, id: string): Promise<Person> {
  const person = await directory.person(id);
  if (!person) throw new CountersignError('not_found');
  return person;
}

/** Sorted and once each. A group that is not there is a typing error that would give nobody anything. */
async function knownGroups({ directory }: Unit, wanted: readonly string[]): Promise<string[]> {
  const names = [...new Set(wanted)].sort();
  if (names.length === 0) return names;
  const known = new Set((await directory.groups()).map(({ name }) => name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) throw unfit('groups', `there is no group ${unknown.join(', ')}; make it first`);
  return names;
}

function difference(one: readonly string[], other: readonly string[]): string[] {
  return [...one.filter((g) => !other.includes(g)), ...other.filter((g) => !one.includes(g))];
}

/** Names of people stay out of the audit log. */
function summary({ id, kind, groups, limitMajor, active, version }: Person): Record<string, unknown> {
  return { person: id, kind, groups, limit: limitMajor, active, version };
}
