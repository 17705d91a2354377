import { CountersignError } from '../errors';
import { groups } from '../people';
import type { Authority } from '../approval/state';
import { isPowerful, letsDecide, scopesOutOfReach, type Scope } from './scopes';

/**
 * Administrators manage, and give nobody's power to themselves: not by a group or a limit of their own, and not by a
 * key that speaks for somebody who decides (R23). Each of these takes a second administrator.
 */
type Who = Pick<Authority, 'id' | 'kind' | 'groups'>;

export function isAdministrator(who: Pick<Who, 'kind' | 'groups'> | undefined): boolean {
  return who?.kind === 'person' && who.groups.includes(groups.admins);
}

/** @throws CountersignError forbidden */
export function checkAdministrator(who: Who | undefined): void {
  if (isAdministrator(who)) return;
  throw new CountersignError('forbidden', 'only an administrator of this tenant does that');
}

/** @throws CountersignError separation_of_duties */
export function checkNotHimself(actor: Pick<Who, 'id'>, target: Pick<Who, 'id'>, oneHuman = false): void {
  if (actor.id !== target.id && !oneHuman) return;
  throw new CountersignError(
    'separation_of_duties',
    actor.id === target.id
      ? 'nobody changes his own groups, limit or activity; another administrator must'
      : `${target.id} may be behind ${actor.id}, whose key one administrator made alone; ${howToBeTwo}`,
  );
}

/** @throws CountersignError invalid_request */
export function checkGroupsFit(kind: Authority['kind'], wanted: readonly string[]): void {
  if (kind === 'person' || !wanted.includes(groups.admins)) return;
  throw unfit('groups', `a ${kind} administers nothing; only people are in ${groups.admins}`);
}

/** @throws CountersignError invalid_request */
export function checkScopesFit(holder: Who, wanted: readonly Scope[]): void {
  const beyond = scopesOutOfReach(holder.kind, wanted);
  if (beyond.length > 0) throw unfit('scopes', `a ${holder.kind} is given no ${beyond.join(', ')}`);
  if (wanted.includes('admin') && !holder.groups.includes(groups.admins))
    throw unfit('scopes', `admin is for members of ${groups.admins}`);
}

/**
 * Whoever makes a key sees its token. So one that speaks for another person, and can decide or administer, opens
 * nothing until somebody else has confirmed it. The only administrator may make a second one's, who then is no second
 * pair of eyes beside him (independence.ts).
 */
export function needsConfirmation(
  actor: Pick<Who, 'id'>,
  holder: Who,
  wanted: readonly Scope[],
  otherAdministrators: boolean,
): boolean {
  if (holder.kind !== 'person' || holder.id === actor.id || !isPowerful(wanted)) return false;
  return otherAdministrators || !holder.groups.includes(groups.admins) || letsDecide(wanted);
}

/**
 * Whether a key waits for this administrator to confirm it; one that is confirmed already waits for nobody.
 * @throws CountersignError separation_of_duties, key_ended
 */
export function awaitsConfirmation(
  actor: Pick<Who, 'id'>,
  { createdBy, state }: { readonly createdBy: string; readonly state: string },
  oneHuman: boolean,
): boolean {
  if (actor.id === createdBy) {
    throw new CountersignError(
      'separation_of_duties',
      'whoever made a key has seen its token and does not confirm it; another administrator must',
    );
  }
  if (state === 'active') return false;
  if (oneHuman) {
    throw new CountersignError(
      'separation_of_duties',
      `${createdBy} may be behind ${actor.id}, whose key one administrator made alone; ${howToBeTwo}`,
    );
  }
  if (state !== 'unconfirmed') throw new CountersignError('key_ended');
  return true;
}

/** @throws CountersignError invalid_request */
export function checkSpeaksForAnother({ kind }: Pick<Who, 'kind'>): void {
  if (kind === 'person')
    throw unfit('onBehalfOf', 'a person speaks for himself; this is for services and agents');
}

const howToBeTwo =
  'let the owner of the database give one of them a key, with countersign admin bootstrap --person';

export function unfit(path: string, message: string): CountersignError {
  return new CountersignError('invalid_request', `${path}: ${message}`, { issues: [{ path, message }] });
}
