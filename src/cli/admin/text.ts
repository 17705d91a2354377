import type { ApiKey, ChannelKey, Group, Person } from '../../client';
import { table, when, type Column } from '../terminal/table';
import { fields } from '../terminal/text';
import { age, moment } from '../terminal/time';

const at = (iso: string | null): string => (iso === null ? '' : moment(iso));

export function personTable(people: readonly Person[]): string {
  return table(people, [
    { title: 'ID', of: ({ id }) => id },
    { title: 'KIND', of: ({ kind }) => kind },
    { title: 'NAME', of: ({ displayName }) => displayName, cut: true },
    { title: 'GROUPS', of: ({ groups }) => groups.join(', ') },
    { title: 'LIMIT', of: ({ limit }) => limit ?? 'none' },
    { title: 'STATE', of: ({ active }) => (active ? 'active' : 'deactivated') },
    { title: 'VERSION', of: ({ version }) => String(version), optional: true },
  ]);
}

export function personPage({
  id,
  displayName,
  kind,
  groups,
  limit,
  active,
  version,
  updatedAt,
}: Person): string {
  return `${id}\n\n${fields([
    ['name', displayName],
    ['kind', kind],
    ['groups', groups.join(', ') || 'none'],
    ['limit', limit ?? 'none'],
    ['state', active ? 'active' : 'deactivated: no key opens, no vote counts'],
    ['version', String(version)],
    ['changed', at(updatedAt)],
  ])}`;
}

export function groupTable(groups: readonly Group[]): string {
  return table(groups, [
    { title: 'GROUP', of: ({ name }) => name },
    { title: 'MEMBERS', of: ({ members }) => members.join(', ') },
    { title: 'VERSION', of: ({ version }) => String(version), optional: true },
    { title: 'MEANS', of: ({ description }) => description, cut: true },
  ]);
}

const used: Column<ApiKey> = {
  title: 'USED',
  of: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : moment(lastUsedAt)),
  short: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : age(lastUsedAt)),
};

export function keyTable(keys: readonly ApiKey[]): string {
  return table(keys, [
    { title: 'KEY', of: ({ id }) => id },
    { title: 'PERSON', of: ({ person }) => person },
    { title: 'NAME', of: ({ name }) => name, cut: true },
    { title: 'STATE', of: stateOf },
    { title: 'SCOPES', of: ({ scopes }) => scopes.join(' '), optional: true, cut: true },
    { ...used, optional: true },
    { ...when<ApiKey>('ENDS', ({ expiresAt }) => expiresAt), optional: true },
    { title: 'MADE BY', of: ({ createdBy }) => createdBy, optional: true },
  ]);
}

export function channelTable(keys: readonly ChannelKey[]): string {
  return table(keys, [
    { title: 'KID', of: ({ kid }) => kid },
    { title: 'CHANNEL', of: ({ channel }) => channel },
    { title: 'STATE', of: stateOf },
    when('SINCE', ({ createdAt }) => createdAt),
    { ...when<ChannelKey>('ENDS', ({ expiresAt }) => expiresAt), optional: true },
    { title: 'REGISTERED BY', of: ({ createdBy }) => createdBy, optional: true },
  ]);
}

function stateOf({ state, replacedBy }: ApiKey | ChannelKey): string {
  return state === 'active' && replacedBy !== null ? 'rotated out' : state;
}

/** A token is shown here and nowhere again. */
export function tokenPage({
  key,
  token,
}: {
  readonly token: string;
  readonly key: Pick<ApiKey, 'id' | 'person' | 'state'>;
}): string {
  const next =
    key.state === 'unconfirmed'
      ? `\nIt opens nothing until another administrator confirms it: countersign admin key confirm ${key.id}\n`
      : '';
  return `${token}

That is the token of ${key.person} (${key.id}). It is shown once: hand it over by a safe way.
Whoever gets it changes it first, so that nobody else has seen it: countersign key rotate
${next}`;
}
