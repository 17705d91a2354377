import { jsonbText } from './jsonbText';

/** One row of the audit log with what its hash covers. `epoch`: seconds with six decimals, as PostgreSQL has it. */
export interface ChainedRow {
  readonly tenant: string;
  readonly runId: string;
  readonly seq: number;
  readonly epoch: string;
  readonly actor: string;
  readonly event: string;
  readonly step: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly reason: string | null;
  readonly policyVersion: string | null;
  readonly effectKey: string | null;
  readonly providerId: string | null;
  readonly prevHash: string;
  readonly hash: string;
}

/** The last row that a run had when an anchor was set. */
export interface Head {
  readonly runId: string;
  readonly seq: number;
  readonly hash: string;
}

/**
 * What an anchor's signature covers: every head that moved since the one before, by its digest, and the anchor before
 * itself. So neither a tail of a run nor an anchor between two others can be cut off unseen.
 */
export interface Anchor {
  readonly tenant: string;
  /** Counts from 1 within the tenant. */
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly heads: number;
  /** SHA-256 over `headsText`. */
  readonly headsHash: string;
  /** SHA-256 of the signed anchor before; 64 zeros for the first. */
  readonly previous: string;
}

export type FindingKind =
  'changed' | 'gap' | 'unlinked' | 'tail_cut' | 'anchor_changed' | 'anchor_missing' | 'signature_invalid';

export interface Finding {
  readonly kind: FindingKind;
  /** The run, or `anchor 3`. */
  readonly where: string;
  readonly seq: number;
  readonly detail: string;
}

/** SHA-256 of a text's UTF-8, as 64 hexadecimal digits; given by whoever has crypto. */
export type Sha256 = (text: string) => string;

export const noHash = '0'.repeat(64);

/** The text that the database hashes for a row (migration 0003). */
export function contentOf(row: ChainedRow): string {
  const { tenant, runId, seq, epoch, actor, event, step, before, after } = row;
  const { reason, policyVersion, effectKey, providerId, prevHash } = row;
  return jsonbText([
    ...[tenant, runId, seq, epoch, actor, event, step, before, after],
    ...[reason, policyVersion, effectKey, providerId, prevHash],
  ]);
}

export function headsText(heads: readonly Head[]): string {
  return [...heads]
    .sort((a, b) => (a.runId < b.runId ? -1 : 1))
    .map(({ runId, seq, hash }) => `${runId} ${seq} ${hash}\n`)
    .join('');
}
