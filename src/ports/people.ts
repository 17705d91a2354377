import type { Authority } from '../domain/approval/state';

/** Whoever a credential stands for. */
export interface Principal extends Authority {
  readonly displayName: string;
}

/** Reads one token; roles are read afresh each time. */
export interface Authenticator {
  /** @returns undefined for an unknown or revoked token */
  authenticate(token: string): Promise<Principal | undefined>;
}

export interface People {
  /** @returns undefined for somebody unknown or no longer active */
  find(id: string): Promise<Authority | undefined>;
}
