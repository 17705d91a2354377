import type { Authority } from '../domain/approval/state';

/** A person, service or agent as administrators see it. Times in ms since the epoch. */
export interface Person extends Authority {
  readonly displayName: string;
  readonly active: boolean;
  /** Counts up with every change; a change names the version that it was made from (R34). */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Group {
  readonly name: string;
  readonly description: string;
  readonly version: number;
  /** Ids, active or not. */
  readonly members: readonly string[];
}

export interface TenantRecord {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly version: number;
}

export interface PeopleFilter {
  readonly limit: number;
  /** The id after which the page begins. */
  readonly after?: string;
  readonly group?: string;
  readonly active?: boolean;
}

export type PersonFields = Partial<Pick<Person, 'displayName' | 'groups' | 'limitMajor' | 'active'>>;

/** The tenant's own record, its people and its groups, to be managed. */
export interface Directory {
  /** Lets one change of people, groups and keys of this tenant happen at a time, until the transaction ends. */
  lock(): Promise<void>;
  tenant(): Promise<TenantRecord>;
  /** @returns false for a stale version */
  renameTenant(name: string, version: number): Promise<boolean>;

  /** Active or not, by the id in any letter case. */
  person(id: string): Promise<Person | undefined>;
  people(filter: PeopleFilter): Promise<{ items: Person[]; next: string | null }>;
  /** @returns undefined when somebody has that id, in any letter case */
  addPerson(
    person: Pick<Person, 'id' | 'kind' | 'displayName' | 'groups' | 'limitMajor'>,
  ): Promise<Person | undefined>;
  /** @returns undefined for a stale version */
  changePerson(id: string, version: number, fields: PersonFields): Promise<Person | undefined>;

  group(name: string): Promise<Group | undefined>;
  groups(): Promise<Group[]>;
  /** @returns false when there is one of that name */
  addGroup(name: string, description: string): Promise<boolean>;
  /** `description` undefined: only the version counts up. @returns false for a stale version */
  changeGroup(name: string, version: number, description: string | undefined): Promise<boolean>;
  /** Their members changed otherwise. */
  touchGroups(names: readonly string[]): Promise<void>;
  /** @returns false for a stale version */
  removeGroup(name: string, version: number): Promise<boolean>;
}
