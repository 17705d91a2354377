import { randomBytes, randomUUID } from 'node:crypto';
import { tokenFrom } from '../../domain/access/apiToken';
import type { NewKey } from '../../domain/access/bodies';
import { mayBeOneHuman } from '../../domain/access/independence';
import { awaitsConfirmation, checkScopesFit, needsConfirmation, unfit } from '../../domain/access/separation';
import { holdsScope, type Scope } from '../../domain/access/scopes';
import { CountersignError } from '../../domain/errors';
import { groups } from '../../domain/people';
import type { Person } from '../../ports/directory';
import type { ApiKey, KeyFilter } from '../../ports/keys';
import type { Principal } from '../../ports/people';
import type { Unit } from '../../ports/store';
import type { UseCases } from '../dependencies';
import { refuseSensitive } from '../freeText';
import { administer, auditChange, readAsAdministrator } from './administer';
import { personOr404 } from './people';

/** A key with its token, which is told here and never again. */
export interface MintedKey {
  readonly key: ApiKey;
  readonly token: string;
}

const hourMs = 3_600_000;

export async function listKeys(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  filter: KeyFilter,
): Promise<ApiKey[]> {
  return readAsAdministrator(useCases, principal, ({ apiKeys }) => apiKeys.list(filter));
}

/** @throws CountersignError not_found */
export async function showKey(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  id: string,
): Promise<ApiKey> {
  return readAsAdministrator(useCases, principal, (unit) => keyOr404(unit, id));
}

/**
 * A key for a person, service or agent. One that lets somebody else decide or administer is `unconfirmed` and opens
 * nothing until another administrator confirms it.
 * @throws CountersignError invalid_request, already_exists for a second one of that name
 */
export async function createKey(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  { person, name, scopes, expiresAt }: NewKey,
): Promise<MintedKey> {
  const end = expiresAt === undefined ? null : Date.parse(expiresAt);
  if (end !== null && end <= Date.now()) throw unfit('expiresAt', 'that is over already');
  return administer(useCases, principal, `create key ${name} of ${person}`, async (unit, actor) => {
    const holder = await unit.directory.person(person);
    if (!holder?.active) throw unfit('person', `there is no active ${person}`);
    const wanted = [...new Set(scopes)];
    checkScopesFit(holder, wanted);
    await refuseSecondOf(unit, holder.id, name);
    const minted = await mint(unit, actor, holder, { name, scopes: wanted, expiresAt: end });
    await auditChange(unit, principal, { event: 'key_created', after: summary(minted.key) });
    return minted;
  });
}

/** By somebody else than who made it, and so has seen its token (R23). @throws CountersignError not_found, separation_of_duties, key_ended */
export async function confirmKey(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  id: string,
): Promise<ApiKey> {
  return administer(useCases, principal, `confirm key ${id}`, async (unit, actor) => {
    const before = await keyOr404(unit, id);
    const oneHuman = await maybeOneHuman(unit, actor.id, before.createdBy);
    if (!awaitsConfirmation(actor, before, oneHuman)) return before;
    const after = await unit.apiKeys.confirm(id, actor.id);
    await auditChange(unit, principal, {
      event: 'key_confirmed',
      before: summary(before),
      after: summary(after),
    });
    return after;
  });
}

/**
 * Another token of the same name and scopes; the old one goes on for `overlapHours` at most. The new one lives as long
 * as the old one was meant to.
 * @throws CountersignError not_found, key_ended
 */
export async function rotateKey(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  id: string,
  overlapHours: number,
): Promise<MintedKey> {
  return administer(useCases, principal, `rotate key ${id}`, async (unit, actor) => {
    const before = await keyOr404(unit, id);
    const { createdAt, expiresAt } = before;
    const end = expiresAt === null ? null : Date.now() + (expiresAt - createdAt);
    return rotate(unit, principal, actor, before, end, overlapHours);
  });
}

/**
 * Whoever holds a key changes its token himself, so that nobody else has seen it. It does not live longer for that.
 * @throws CountersignError key_ended
 */
export async function rotateOwnKey(
  { store }: Pick<UseCases, 'store'>,
  principal: Principal,
  overlapHours: number,
): Promise<MintedKey> {
  return store.inTenant(principal.tenant, async (unit) => {
    await unit.directory.lock();
    const holder = await personOr404(unit, principal.id);
    const before = await keyOr404(unit, principal.key.id);
    return rotate(unit, principal, holder, before, before.expiresAt, overlapHours);
  });
}

/**
 * At once, and for good; repeated it changes nothing.
 * @throws CountersignError not_found, sensitive_text; last_administrator where nobody could administer any more
 */
export async function revokeKey(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  id: string,
  reason: string,
): Promise<ApiKey> {
  refuseSensitive('reason', reason);
  return administer(useCases, principal, `revoke key ${id}`, async (unit) => {
    const before = await keyOr404(unit, id);
    if (before.state === 'revoked') return before;
    const after = await unit.apiKeys.revoke(id);
    // The owner's command would be the only way back in; rotating ends a token as well.
    if (before.state === 'active' && (await ableAdministrators(unit)).length === 0)
      throw new CountersignError('last_administrator');
    await auditChange(unit, principal, {
      event: 'key_revoked',
      before: summary(before),
      after: summary(after),
      reason,
    });
    return after;
  });
}

async function rotate(
  unit: Unit,
  principal: Principal,
  actor: Person,
  before: ApiKey,
  expiresAt: number | null,
  overlapHours: number,
): Promise<MintedKey> {
  if (before.replacedBy !== null)
    throw new CountersignError('key_ended', `it was rotated already, by ${before.replacedBy}`);
  if (before.state === 'revoked' || before.state === 'expired') throw new CountersignError('key_ended');
  const holder = await personOr404(unit, before.person);
  const minted = await mint(unit, actor, holder, { ...before, expiresAt });
  const ended = await unit.apiKeys.replace(before.id, minted.key.id, overlapHours * hourMs);
  await auditChange(unit, principal, {
    event: 'key_rotated',
    before: summary(ended),
    after: summary(minted.key),
  });
  return minted;
}

async function mint(
  unit: Unit,
  actor: Person,
  holder: Person,
  { name, scopes, expiresAt }: Pick<ApiKey, 'name' | 'scopes' | 'expiresAt'>,
): Promise<MintedKey> {
  const token = tokenFrom(randomBytes(48));
  const others = (await ableAdministrators(unit)).some((id) => id !== actor.id);
  const waits = needsConfirmation(actor, holder, scopes as Scope[], others);
  const key = await unit.apiKeys.add({
    id: `key_${randomUUID().replaceAll('-', '')}`,
    person: holder.id,
    name,
    scopes,
    createdBy: actor.id,
    confirmedBy: waits ? null : actor.id,
    expiresAt,
    token,
  });
  return { key, token };
}

/** Administrators who have a key that opens, by id. */
export async function ableAdministrators({ directory, apiKeys }: Unit): Promise<string[]> {
  const holders = new Set(
    (await apiKeys.list({ state: 'active' }))
      .filter((key) => holdsScope(key.scopes, ['admin']))
      .map((key) => key.person),
  );
  const { items } = await directory.people({ limit: 1_000, group: groups.admins, active: true });
  return items.map(({ id }) => id).filter((id) => holders.has(id));
}

/** Whether one administrator may have made the other, alone. */
export async function maybeOneHuman({ apiKeys }: Unit, one: string, other: string): Promise<boolean> {
  return mayBeOneHuman(await apiKeys.list({}), one, other);
}

async function refuseSecondOf({ apiKeys }: Unit, person: string, name: string): Promise<void> {
  const known = (await apiKeys.list({ person })).find(
    (key) =>
      key.name === name && key.replacedBy === null && (key.state === 'active' || key.state === 'unconfirmed'),
  );
  if (known)
    throw new CountersignError(
      'already_exists',
      `${person} has a key ${name} already: ${known.id}; rotate it, revoke it, or give this one another name`,
    );
}

export async function keyOr404({ apiKeys }: Unit, id: string): Promise<ApiKey> {
  const key = await apiKeys.find(id);
  if (!key) throw new CountersignError('not_found');
  return key;
}

export function summary(key: ApiKey): Record<string, unknown> {
  const { id, person, name, scopes, state, confirmedBy, expiresAt, replacedBy } = key;
  return { key: id, person, name, scopes, state, confirmedBy, expiresAt, replacedBy };
}
