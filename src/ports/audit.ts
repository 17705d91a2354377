/** One transition or refused attempt. No personal data: erasure never has to touch the audit log. */
export interface AuditEntry {
  readonly runId: string;
  readonly actor: string;
  readonly event: string;
  /** Unique within the run: writing the same step twice leaves one row. */
  readonly step: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly reason?: string;
  readonly policyVersion?: string;
  readonly effectKey?: string;
  readonly providerId?: string;
  /** The human for whom a service or an agent did it. Kept beside the log, where an erasure reaches it. */
  readonly onBehalfOf?: string;
}

export interface AuditRow extends AuditEntry {
  readonly seq: number;
  /** ms since the epoch. */
  readonly at: number;
  readonly hash: string;
}

export interface Audit {
  append(entry: AuditEntry): Promise<void>;
  has(runId: string, step: string): Promise<boolean>;
  ofRun(runId: string): Promise<AuditRow[]>;
}
