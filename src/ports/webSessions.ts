import type { Principal } from './people';

/** A signed-in person, as pages know him. */
export interface WebSession {
  readonly principal: Principal;
  /** An IANA name that he chose; null: none yet. */
  readonly timeZone: string | null;
}

/**
 * Sessions of the pages. The browser holds a secret, the database its hash; nothing is kept between two calls, so that a
 * session ends the moment its key is revoked or its holder is no longer active.
 */
export interface WebSessions {
  /** @returns the secret for the browser, told once */
  open(principal: Principal, timeZone: string | null): Promise<string>;
  /**
   * @param use `look` does not count as activity: for what a page asks by itself
   * @returns undefined for a session that is unknown, idle for too long, over, or of a key that opens nothing any more
   */
  find(secret: string, use: 'act' | 'look'): Promise<WebSession | undefined>;
  keepTimeZone(secret: string, tenant: string, timeZone: string): Promise<void>;
  close(secret: string, tenant: string): Promise<void>;
}

/** Sign-ins that failed, by where they came from, over all processes. */
export interface SignInFailures {
  /** How many within the last `windowMs`. */
  count(source: string, windowMs: number): Promise<number>;
  /** Counts one more, and forgets those that are older than `windowMs`. */
  add(source: string, windowMs: number): Promise<void>;
}

/**
 * One way to prove who somebody is. Tokens are the only one yet; OpenID Connect is another implementation that gives the
 * same principal, and sessions know nothing of the difference.
 */
export interface SignInMethod {
  readonly name: string;
  /** @returns undefined for a proof that proves nothing */
  prove(presented: string): Promise<Principal | undefined>;
}
