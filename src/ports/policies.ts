import type { PolicyCases } from '../domain/policy/cases';
import type { Policy } from '../domain/policy/document';

/** A version as it was published. */
export interface PublishedPolicy extends Policy {
  /** Counts the versions of the tenant from 1; the highest is in force. */
  readonly number: number;
  readonly cases: PolicyCases;
  /** ms since the epoch. */
  readonly publishedAt: number;
  /** Null for one that was there before versions were published. */
  readonly publishedBy: string | null;
  readonly comment: string | null;
}

export interface NewPolicy {
  /** Its number, in digits, when absent. */
  readonly version?: string;
  readonly document: Policy['document'];
  readonly cedar: string;
  readonly cases: PolicyCases;
  readonly publishedBy: string;
  readonly comment?: string;
}

/** The versions of one tenant's policy; none is ever changed or removed. */
export interface Policies {
  /** The newest published version. */
  newest(): Promise<Policy>;
  find(version: string): Promise<PublishedPolicy | undefined>;
  /** The version that something was decided under, which no one can remove. */
  published(version: string): Promise<Policy>;
  /** Newest first. */
  list(page: {
    readonly before?: number;
    readonly limit: number;
  }): Promise<{ items: PublishedPolicy[]; next: number | null }>;
  /**
   * Publishes, if `expected` is still the newest version (R34). The same again answers as the first time.
   * @throws CountersignError version_conflict, also for a version of that name
   */
  publish(policy: NewPolicy, expected: string): Promise<PublishedPolicy>;
}
