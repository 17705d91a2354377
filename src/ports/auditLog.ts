import type { Anchor, ChainedRow, Head } from '../domain/audit/chain';

export interface AuditFilter {
  readonly runId?: string;
  readonly actor?: string;
  readonly event?: string;
  /** ISO 8601; `from` inclusive, `to` exclusive. */
  readonly from?: string;
  readonly to?: string;
}

export interface StoredAnchor {
  readonly seq: number;
  readonly jws: string;
  readonly heads: readonly Head[];
}

/** Reading a tenant's audit log, and its anchors. Writing rows is `Audit`, inside a step's own transaction. */
export interface AuditLog {
  /** Newest first. `before`: the position that an earlier page ended at. */
  search(
    tenant: string,
    filter: AuditFilter,
    before: AuditPosition | undefined,
    limit: number,
  ): Promise<AuditPage>;
  /** By run and number, which is the order of verification. */
  chains(tenant: string, after: ChainPosition | undefined, limit: number): Promise<ChainedRow[]>;
  anchors(tenant: string, after: number, limit: number): Promise<StoredAnchor[]>;
  /** What anchors list of the rows after one position, up to another; undefined: from the first, to the last. */
  heads(tenant: string, after: ChainPosition | undefined, upTo: ChainPosition | undefined): Promise<Head[]>;
  /**
   * Sets the next anchor over every chain that has grown since the last one. One at a time for each tenant.
   * @returns undefined when nothing has grown, or when the newest is younger than `minAgeMs`
   */
  anchor(
    tenant: string,
    minAgeMs: number,
    seal: (heads: readonly Head[], last: StoredAnchorEnd | undefined) => Promise<SealedAnchor>,
  ): Promise<SealedAnchor | undefined>;
  tenants(): Promise<string[]>;
  /** Also those that sign no more: what they signed stands. */
  keys(): Promise<AnchorKey[]>;
}

/** An Ed25519 public key. */
export interface AnchorKey {
  readonly kid: string;
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
}

export interface AuditPosition {
  readonly at: string;
  readonly runId: string;
  readonly seq: number;
}
export interface AuditPage {
  readonly rows: readonly ChainedRow[];
  readonly next: AuditPosition | undefined;
}
export type ChainPosition = Pick<ChainedRow, 'runId' | 'seq'>;
export type StoredAnchorEnd = Pick<StoredAnchor, 'seq' | 'jws'>;
export interface SealedAnchor {
  readonly anchor: Anchor;
  readonly jws: string;
}

/** Signs anchors with this process's own key, and reads what others have signed. */
export interface AnchorSigner {
  sign(anchor: Anchor): Promise<string>;
  /** @returns what was signed, or undefined where none of `keys` has signed it */
  read(jws: string, keys: readonly AnchorKey[]): Promise<Anchor | undefined>;
}
