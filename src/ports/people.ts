import type { Authority } from '../domain/approval/state';

/** Whoever a credential stands for. */
export interface Principal extends Authority {
  readonly displayName: string;
  /** The credential itself: `scopes` is what it opens, `expiresAt` in ms since the epoch or null. */
  readonly key: {
    readonly id: string;
    readonly scopes: readonly string[];
    readonly expiresAt: number | null;
  };
}

/** Reads one token. Nothing is kept between two calls: a key that is revoked opens nothing from then on. */
export interface Authenticator {
  /** @returns undefined for a token that is unknown, not confirmed, expired or revoked, or of somebody not active */
  authenticate(token: string): Promise<Principal | undefined>;
}

export interface People {
  /** @returns undefined for somebody unknown or no longer active */
  find(id: string): Promise<Authority | undefined>;
}
