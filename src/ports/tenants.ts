import type { TenantRecord } from './directory';

/** Tenants themselves: the business of whoever owns the database, and of no door. */
export interface Tenants {
  list(): Promise<TenantRecord[]>;
  /** With the policy that it begins with. @returns false when there is one of that id */
  create(id: string, name: string): Promise<boolean>;
  /** Not active: no key of it opens anything. @returns undefined for an unknown one */
  setActive(id: string, active: boolean): Promise<TenantRecord | undefined>;
}

/** A public key of Countersign itself, with which every tenant's decisions may be signed. */
export interface OwnSigningKey {
  readonly kid: string;
  /** ms since the epoch. */
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

export interface OwnSigningKeys {
  list(): Promise<OwnSigningKey[]>;
  /** @returns undefined for an unknown one */
  revoke(kid: string): Promise<OwnSigningKey | undefined>;
}
