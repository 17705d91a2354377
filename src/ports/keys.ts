import type { PublicKey } from '../domain/access/bodies';

export type KeyState = 'active' | 'unconfirmed' | 'expired' | 'revoked';

/** An API key, never its token. Times in ms since the epoch. */
export interface ApiKey {
  readonly id: string;
  readonly person: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly state: KeyState;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly confirmedBy: string | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** The key that takes its place. */
  readonly replacedBy: string | null;
  /** To the hour. */
  readonly lastUsedAt: number | null;
}

export interface NewApiKey extends Pick<
  ApiKey,
  'id' | 'person' | 'name' | 'scopes' | 'createdBy' | 'confirmedBy' | 'expiresAt'
> {
  /** Kept as its SHA-256 only. */
  readonly token: string;
}

export interface KeyFilter {
  readonly person?: string;
  readonly state?: KeyState;
}

export interface ApiKeys {
  find(id: string): Promise<ApiKey | undefined>;
  list(filter: KeyFilter): Promise<ApiKey[]>;
  add(key: NewApiKey): Promise<ApiKey>;
  confirm(id: string, by: string): Promise<ApiKey>;
  /** It ends then, if it does not end sooner; `replacedBy` takes its place. */
  replace(id: string, replacedBy: string, overlapMs: number): Promise<ApiKey>;
  /** At once, and for good. */
  revoke(id: string): Promise<ApiKey>;
}

export interface ChannelKey {
  readonly kid: string;
  readonly channel: string;
  readonly publicKey: PublicKey;
  readonly state: KeyState;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly confirmedBy: string | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly replacedBy: string | null;
}

/** Public keys with which a channel of this tenant proves decisions. */
export interface ChannelKeys {
  find(kid: string): Promise<ChannelKey | undefined>;
  list(): Promise<ChannelKey[]>;
  /** @returns undefined when there is one of that kid, here or among Countersign's own */
  add(key: Pick<ChannelKey, 'kid' | 'channel' | 'publicKey' | 'createdBy'>): Promise<ChannelKey | undefined>;
  confirm(kid: string, by: string): Promise<ChannelKey>;
  replace(kid: string, replacedBy: string, overlapMs: number): Promise<ChannelKey>;
  revoke(kid: string): Promise<ChannelKey>;
  /** Whether what came over this channel still counts: `signed:<kid>` does until its key is revoked, others always. */
  stands(channel: string): Promise<boolean>;
}
