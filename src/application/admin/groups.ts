import { checkGroupsFit, unfit } from '../../domain/access/separation';
import type { GroupChange, NewGroup } from '../../domain/access/bodies';
import { CountersignError } from '../../domain/errors';
import { groups as builtIn } from '../../domain/people';
import type { Group } from '../../ports/directory';
import type { Principal } from '../../ports/people';
import type { Unit } from '../../ports/store';
import type { UseCases } from '../dependencies';
import { refuseSensitive } from '../freeText';
import { administer, auditChange, readAsAdministrator, stale } from './administer';
import { change } from './people';

export async function listGroups(useCases: Pick<UseCases, 'store'>, principal: Principal): Promise<Group[]> {
  return readAsAdministrator(useCases, principal, ({ directory }) => directory.groups());
}

/** @throws CountersignError not_found */
export async function showGroup(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  name: string,
): Promise<Group> {
  return readAsAdministrator(useCases, principal, (unit) => groupOr404(unit, name));
}

/** @throws CountersignError sensitive_text, already_exists */
export async function addGroup(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  { name, description }: NewGroup,
): Promise<Group> {
  refuseSensitive('description', description);
  return administer(useCases, principal, `add group ${name}`, async (unit) => {
    if (!(await unit.directory.addGroup(name, description)))
      throw new CountersignError('already_exists', `there is a group ${name} already`);
    await auditChange(unit, principal, { event: 'group_added', after: { group: name } });
    return groupOr404(unit, name);
  });
}

/**
 * Describes it anew, and takes members in or out, from the version that was read.
 * @throws CountersignError not_found, invalid_request, sensitive_text; separation_of_duties for himself; version_conflict
 */
export async function changeGroup(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  name: string,
  { version, description, add, remove }: GroupChange,
): Promise<Group> {
  refuseSensitive('description', description);
  return administer(useCases, principal, `change group ${name}`, async (unit, actor) => {
    const before = await groupOr404(unit, name);
    const joining = new Set(add);
    const both = remove.filter((id) => joining.has(id));
    if (both.length > 0) throw unfit('remove', `${both.join(', ')} can not come and go at once`);
    const people = [];
    for (const id of new Set([...add, ...remove])) {
      const person = await unit.directory.person(id);
      if (!person) throw unfit(joining.has(id) ? 'add' : 'remove', `there is no ${id}`);
      if (joining.has(id)) checkGroupsFit(person.kind, [name]);
      if (person.groups.includes(name) !== joining.has(id)) people.push(person);
    }
    if (before.version !== version) throw stale(before.version);
    for (const person of people) {
      const groups = joining.has(person.id)
        ? [...person.groups, name].sort()
        : person.groups.filter((group) => group !== name);
      await change(unit, principal, actor, person, person.version, { groups });
    }
    const { version: now } = await groupOr404(unit, name);
    if (people.length === 0) await unit.directory.changeGroup(name, now, description);
    else if (description !== undefined) await unit.directory.changeGroup(name, now, description);
    const after = await groupOr404(unit, name);
    await auditChange(unit, principal, {
      event: 'group_changed',
      before: summary(before),
      after: { ...summary(after), ...(description === undefined ? {} : { description: 'changed' }) },
    });
    return after;
  });
}

/** @throws CountersignError not_found, version_conflict, group_in_use */
export async function removeGroup(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  name: string,
  version: number,
): Promise<void> {
  await administer(useCases, principal, `remove group ${name}`, async (unit) => {
    const before = await groupOr404(unit, name);
    if (before.version !== version) throw stale(before.version);
    if (before.members.length > 0)
      throw new CountersignError('group_in_use', `${name} has members: ${before.members.join(', ')}`);
    if (Object.values<string>(builtIn).includes(name) || (await policyNames(unit, name)))
      throw new CountersignError('group_in_use', `${name} means something to Countersign or to the policy`);
    await unit.directory.removeGroup(name, version);
    await auditChange(unit, principal, { event: 'group_removed', before: summary(before) });
  });
}

/** Whatever the form of a policy is: a group stands in it between quotation marks. */
async function policyNames({ policies }: Unit, name: string): Promise<boolean> {
  return new RegExp(`"${name}\\\\?"`).test(JSON.stringify(await policies.newest()));
}

export async function groupOr404({ directory }: Unit, name: string): Promise<Group> {
  const group = await directory.group(name);
  if (!group) throw new CountersignError('not_found');
  return group;
}

function summary({ name, members, version }: Group): Record<string, unknown> {
  return { group: name, members, version };
}
