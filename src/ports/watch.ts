/** Tells when a run has changed, so that live views need not ask. */
export interface RunWatch {
  /** Calls `changed` after a change of the run; a change may be told more than once. @returns stops it */
  subscribe(runId: string, changed: () => void): Promise<() => void>;
  /** The same for any run of a tenant, and for its agent runs, batches and reconciliations. */
  ofTenant(tenant: string, changed: () => void): Promise<() => void>;
}

/** Tells when anything in a tenant's inbox has changed. */
export interface InboxWatch {
  /** As `RunWatch`. */
  subscribe(tenant: string, changed: () => void): Promise<() => void>;
}
