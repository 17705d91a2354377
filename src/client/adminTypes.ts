import type {
  ChannelRotation,
  GroupChange,
  NewChannelKey,
  NewGroup,
  NewKey,
  NewPerson,
  PersonChange,
  PublicKey,
} from '../domain/access/bodies';
import type { Scope } from '../domain/access/scopes';

export type { ChannelRotation, NewChannelKey, NewKey, PersonChange, PublicKey, Scope };
/** What may be left out: groups and limit. */
export type PersonToAdd = Omit<NewPerson, 'groups' | 'limit'> & Partial<Pick<NewPerson, 'groups' | 'limit'>>;
export type GroupToAdd = Pick<NewGroup, 'name'> & Partial<NewGroup>;
export type GroupToChange = Pick<GroupChange, 'version'> & Partial<GroupChange>;
export type ChannelKeyRotation = Omit<ChannelRotation, 'overlapHours'> & { readonly overlapHours?: number };

export interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly version: number;
}

export interface Person {
  readonly id: string;
  readonly kind: 'person' | 'service' | 'agent';
  readonly displayName: string;
  readonly groups: readonly string[];
  /** Major units of the refund's currency; null is no limit. */
  readonly limit: string | null;
  readonly active: boolean;
  /** A change names the version that it was made from. */
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Group {
  readonly name: string;
  readonly description: string;
  readonly members: readonly string[];
  readonly version: number;
}

/** `unconfirmed` waits for a second administrator and opens nothing. */
export type KeyState = 'active' | 'unconfirmed' | 'expired' | 'revoked';

export interface ApiKey {
  readonly id: string;
  readonly person: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly state: KeyState;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly confirmedBy: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly replacedBy: string | null;
  /** To the hour. */
  readonly lastUsedAt: string | null;
}

/** The token is told once; only its hash is kept. */
export interface MintedKey {
  readonly key: ApiKey;
  readonly token: string;
}

export interface ChannelKey {
  readonly kid: string;
  readonly channel: string;
  readonly publicKey: { readonly kty: string; readonly crv: string; readonly x: string };
  readonly state: KeyState;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly confirmedBy: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly replacedBy: string | null;
}

/** Whom a token stands for. */
export interface Identity {
  readonly tenant: string;
  readonly id: string;
  readonly kind: Person['kind'];
  readonly groups: readonly string[];
  readonly limit: string | null;
  readonly key: {
    readonly id: string;
    readonly scopes: readonly string[];
    readonly expiresAt: string | null;
  };
}
