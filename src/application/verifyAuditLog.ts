import { createHash } from 'node:crypto';
import type { ChainedRow, Finding } from '../domain/audit/chain';
import { AuditVerifier } from '../domain/audit/verify';
import type { AnchorKey, AnchorSigner, ChainPosition, StoredAnchor } from '../ports/auditLog';
import type { Principal } from '../ports/people';
import { auditKeys, exportChains, listAnchors, type AuditUseCases } from './audit';

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
  const verifier = new AuditVerifier((text) => createHash('sha256').update(text).digest('hex'), onlyRun);
  for await (const { seq, jws, heads } of anchors)
    verifier.takeAnchor({ seq, jws, heads, anchor: await read(jws, keys) });
  for await (const row of rows) {
    verifier.takeRow(row);
    if (verifier.rows % 10_000 === 0) progress(verifier.rows);
  }
  const findings = verifier.finish();
  const { rows: checked, runs, anchors: held } = verifier;
  return { ok: findings.length === 0, rows: checked, runs, anchors: held, findings };
}

/** So many rows are checked while somebody waits for a page; `countersign audit verify` checks any number. */
const mostRows = 50_000;
const rowsAtOnce = 1_000;
const anchorsAtOnce = 50;

/**
 * The tenant's log checked here, from its beginning. `complete` is false where it is longer than that; then nothing is
 * said of a tail that was cut. @throws CountersignError forbidden
 */
export async function verifyAuditLog(
  useCases: AuditUseCases,
  principal: Principal,
): Promise<AuditReport & { readonly complete: boolean }> {
  const source = {
    keys: await auditKeys(useCases, principal),
    anchors: anchorsOf(useCases, principal),
    rows: rowsOf(useCases, principal),
  };
  const report = await verifyChains(source, (jws, keys) => useCases.anchorSigner.read(jws, keys));
  if (report.rows < mostRows) return { ...report, complete: true };
  const findings = report.findings.filter(({ kind }) => kind !== 'tail_cut');
  return { ...report, ok: findings.length === 0, findings, complete: false };
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

async function* rowsOf(useCases: AuditUseCases, principal: Principal): AsyncGenerator<ChainedRow> {
  let after: ChainPosition | undefined;
  for (let read = 0; read < mostRows; read += rowsAtOnce) {
    const page = await exportChains(useCases, principal, after, rowsAtOnce);
    yield* page;
    after = page.at(-1);
    if (page.length < rowsAtOnce) return;
  }
}
