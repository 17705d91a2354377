import type { HeldApproval } from '../domain/approval/held';

/** How a run ended without our doing, in Temporal's words; `completed` is how it ends by itself. */
export type RunEnd = 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed_out';

export type RunState =
  | {
      readonly kind: 'running';
      readonly held: HeldApproval;
      /** Nothing of it is in progress. */ readonly atRest: boolean;
    }
  /** `held` where a worker answered; `endedAt` in ms since the epoch. */
  | {
      readonly kind: 'ended';
      readonly how: RunEnd;
      readonly endedAt: number;
      readonly held: HeldApproval | undefined;
    }
  /** It runs, and no worker says what it has: none is up, or only one of an older version. */
  | { readonly kind: 'unanswered' }
  /** Temporal knows no such run, or no more. */
  | { readonly kind: 'gone' };

/** The workflows' own state, only ever read: queries leave nothing in a history. */
export interface RunStates {
  /**
   * Runs of the tenant that wait for people, by Temporal's index, which is a moment behind.
   * @param after `next` of an earlier page
   * @throws CountersignError invalid_request for a page that is none, dependency_unavailable
   */
  waiting(
    tenant: string,
    after: string | undefined,
    limit: number,
  ): Promise<{ runIds: string[]; next: string | undefined }>;
  /** @param patienceMs how long a worker is waited for. @throws CountersignError dependency_unavailable */
  look(tenant: string, runId: string, patienceMs: number): Promise<RunState>;
}
