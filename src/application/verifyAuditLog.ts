import { createHash } from 'node:crypto';
import type { ChainedRow, Finding } from '../domain/audit/chain';
import { AuditVerifier } from '../domain/audit/verify';
import type { AnchorKey, AnchorSigner, ChainPosition, StoredAnchor } from '../ports/auditLog';
import type { Principal } from '../ports/people';
import { auditKeys, exportChains, listAnchors, listHeads, type AuditUseCases } from './audit';

/** A whole log with what proves it: from the database, the API, or a file that was kept. */
export interface AuditSource {
  readonly keys: readonly AnchorKey[];
  readonly anchors: AsyncIterable<StoredAnchor> | Iterable<StoredAnchor>;
  readonly rows: AsyncIterable<ChainedRow> | Iterable<ChainedRow>;
  /** Not the whole log: the rows of this run, and the anchors that name it. */
  readonly onlyRun?: string;
}

export interface AuditReport {
  readonly ok: boolean;
  readonly rows: number;
  readonly runs: number;
  readonly anchors: number;
  readonly findings: readonly Finding[];
}

/**
 * Computes every hash and checks every signature here, whatever the source says of itself.
 * `progress` is told the number of rows now and then.
 */
export async function verifyChains(
  { keys, anchors, rows, onlyRun }: AuditSource,
  read: AnchorSigner['read'],
  progress: (rows: number) => void = () => undefined,
): Promise<AuditReport> {
  const verifier = new AuditVerifier(sha256, onlyRun);
  for await (const { seq, jws, heads } of anchors)
    verifier.takeAnchor({ seq, jws, heads, anchor: await read(jws, keys) });
  for await (const row of rows) {
    verifier.takeRow(row);
    if (verifier.rows % 10_000 === 0) progress(verifier.rows);
  }
  verifier.finish();
  return reportOf(verifier);
}

/** Where so much is wrong, more of it helps nobody. */
const mostFindings = 1_000;
const anchorsAtOnce = 10;

interface Verifying {
  /** So many rows are held at once. */
  readonly rowsAtOnce?: number;
  /** Told after every so many, with the number of rows checked; what it returns is waited for. */
  readonly progress?: (rows: number) => Promise<unknown> | void;
  /** Ends it where nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

/**
 * The tenant's log checked here, to its end however long it is: anchors first, then rows in the order of their chains, each
 * page together with what anchors name of it. Only a page is held at once.
 * `complete` is false where it was ended before: nobody waited, or too much was wrong.
 * @throws CountersignError forbidden
 */
export async function verifyAuditLog(
  useCases: AuditUseCases,
  principal: Principal,
  { rowsAtOnce = 1_000, progress, signal }: Verifying = {},
): Promise<AuditReport & { readonly complete: boolean }> {
  const verifier = new AuditVerifier(sha256);
  const keys = await auditKeys(useCases, principal);
  for await (const { seq, jws, heads } of anchorsOf(useCases, principal))
    verifier.checkAnchor({ seq, jws, heads, anchor: await useCases.anchorSigner.read(jws, keys) });
  for (let after: ChainPosition | undefined; ;) {
    const page = await exportChains(useCases, principal, after, rowsAtOnce);
    const upTo = page.length < rowsAtOnce ? undefined : page.at(-1);
    verifier.expect(await listHeads(useCases, principal, after, upTo));
    for (const row of page) verifier.takeRow(row);
    verifier.finish();
    if (upTo === undefined) return { ...reportOf(verifier), complete: true };
    if (signal?.aborted || verifier.findings.length >= mostFindings)
      return { ...reportOf(verifier), complete: false };
    await progress?.(verifier.rows);
    after = upTo;
  }
}

async function* anchorsOf(useCases: AuditUseCases, principal: Principal): AsyncGenerator<StoredAnchor> {
  for (let after = 0; ;) {
    const page = await listAnchors(useCases, principal, after, anchorsAtOnce);
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < anchorsAtOnce) return;
    after = last.seq;
  }
}

function reportOf({ findings, rows, runs, anchors }: AuditVerifier): AuditReport {
  return { ok: findings.length === 0, rows, runs, anchors, findings };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
