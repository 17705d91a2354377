import type * as T from './adminTypes';
import { itemsOfPages } from './pages';
import type { Call, CallOptions, Transport } from './transport';
import type { Page } from './types';

export interface PeopleFilter {
  readonly group?: string | undefined;
  readonly active?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * `countersign.admin`: who belongs to the tenant and which keys open what. Administrators only; every change names the
 * version that it was made from, and is refused with `version_conflict` when somebody else was faster.
 */
export class Admin {
  constructor(private readonly transport: Transport) {}

  showTenant = (options: CallOptions = {}) => this.call<T.Tenant>({ path: '/tenant', ...options });

  renameTenant = (name: string, version: number, options: CallOptions = {}) =>
    this.call<T.Tenant>({ method: 'PATCH', path: '/tenant', body: { name, version }, ...options });

  people = ({ active, ...filter }: PeopleFilter = {}, options: CallOptions = {}) =>
    this.call<Page<T.Person>>({
      path: '/people',
      query: { ...filter, active: active === undefined ? undefined : String(active) },
      ...options,
    });

  allPeople(filter: Omit<PeopleFilter, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<T.Person> {
    return itemsOfPages((cursor) => this.people({ ...filter, cursor }, options));
  }

  person = (id: string, options: CallOptions = {}) =>
    this.call<T.Person>({ path: at('/people', id), ...options });

  addPerson = (person: T.PersonToAdd, options: CallOptions = {}) =>
    this.call<T.Person>({ method: 'POST', path: '/people', body: person, ...options });

  /** @throws CountersignError separation_of_duties for his own groups, limit or activity; version_conflict */
  changePerson = (id: string, change: T.PersonChange, options: CallOptions = {}) =>
    this.call<T.Person>({ method: 'PATCH', path: at('/people', id), body: change, ...options });

  groups = (options: CallOptions = {}) => this.call<Page<T.Group>>({ path: '/groups', ...options });

  group = (name: string, options: CallOptions = {}) =>
    this.call<T.Group>({ path: at('/groups', name), ...options });

  addGroup = (group: T.GroupToAdd, options: CallOptions = {}) =>
    this.call<T.Group>({ method: 'POST', path: '/groups', body: group, ...options });

  changeGroup = (name: string, change: T.GroupToChange, options: CallOptions = {}) =>
    this.call<T.Group>({ method: 'PATCH', path: at('/groups', name), body: change, ...options });

  removeGroup = (name: string, version: number, options: CallOptions = {}) =>
    this.call<undefined>({ method: 'DELETE', path: at('/groups', name), query: { version }, ...options });

  keys = (
    filter: { person?: string | undefined; state?: T.KeyState | undefined } = {},
    options: CallOptions = {},
  ) => this.call<Page<T.ApiKey>>({ path: '/keys', query: filter, ...options });

  key = (id: string, options: CallOptions = {}) => this.call<T.ApiKey>({ path: at('/keys', id), ...options });

  /** A second call for one that got no answer is refused: there is a key of that name, whose token nobody has. */
  createKey = (key: T.NewKey, options: CallOptions = {}) =>
    this.call<T.MintedKey>({ method: 'POST', path: '/keys', body: key, ...options });

  /** @throws CountersignError separation_of_duties for whoever made it */
  confirmKey = (id: string, options: CallOptions = {}) =>
    this.call<T.ApiKey>({ method: 'POST', path: at('/keys', id, '/confirm'), ...options });

  rotateKey = (id: string, overlapHours?: number, options: CallOptions = {}) =>
    this.call<T.MintedKey>({
      method: 'POST',
      path: at('/keys', id, '/rotate'),
      body: { overlapHours },
      ...options,
    });

  revokeKey = (id: string, reason: string, options: CallOptions = {}) =>
    this.call<T.ApiKey>({ method: 'POST', path: at('/keys', id, '/revoke'), body: { reason }, ...options });

  channelKeys = (options: CallOptions = {}) =>
    this.call<Page<T.ChannelKey>>({ path: '/channel-keys', ...options });

  channelKey = (kid: string, options: CallOptions = {}) =>
    this.call<T.ChannelKey>({ path: at('/channel-keys', kid), ...options });

  registerChannelKey = (key: T.NewChannelKey, options: CallOptions = {}) =>
    this.call<T.ChannelKey>({ method: 'POST', path: '/channel-keys', body: key, ...options });

  /** @throws CountersignError separation_of_duties for whoever registered it */
  confirmChannelKey = (kid: string, options: CallOptions = {}) =>
    this.call<T.ChannelKey>({ method: 'POST', path: at('/channel-keys', kid, '/confirm'), ...options });

  rotateChannelKey = (kid: string, rotation: T.ChannelKeyRotation, options: CallOptions = {}) =>
    this.call<T.ChannelKey>({
      method: 'POST',
      path: at('/channel-keys', kid, '/rotate'),
      body: rotation,
      ...options,
    });

  revokeChannelKey = (kid: string, reason: string, options: CallOptions = {}) =>
    this.call<T.ChannelKey>({
      method: 'POST',
      path: at('/channel-keys', kid, '/revoke'),
      body: { reason },
      ...options,
    });

  private async call<Answer>(call: Call): Promise<Answer> {
    return (await this.transport.call<Answer>({ ...call, path: `/v1/admin${call.path}` })).body;
  }
}

/** `countersign.self`: the token that this client uses. */
export class Self {
  constructor(private readonly transport: Transport) {}

  async show(options: CallOptions = {}): Promise<T.Identity> {
    return (await this.transport.call<T.Identity>({ path: '/v1/self', ...options })).body;
  }

  /** The old token goes on for `overlapHours`, by default 24. */
  async rotate(overlapHours?: number, options: CallOptions = {}): Promise<T.MintedKey> {
    const body = { overlapHours };
    return (
      await this.transport.call<T.MintedKey>({ method: 'POST', path: '/v1/self/rotate', body, ...options })
    ).body;
  }
}

function at(list: string, id: string, below = ''): string {
  return `${list}/${encodeURIComponent(id)}${below}`;
}
