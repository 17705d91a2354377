import { createHash } from 'node:crypto';
import { readAnchor } from '../../adapters/signatures/anchorJws';
import type { Finding } from '../../domain/audit/chain';
import { AuditVerifier } from '../../domain/audit/verify';
import type { AuditAnchor, AuditKey, AuditRow } from '../../client';

/** A whole log with what proves it: from the API, or from a file that was kept. */
export interface AuditSource {
  readonly keys: readonly AuditKey[];
  readonly anchors: AsyncIterable<AuditAnchor> | Iterable<AuditAnchor>;
  readonly rows: AsyncIterable<AuditRow> | Iterable<AuditRow>;
}

export interface AuditReport {
  readonly ok: boolean;
  readonly rows: number;
  readonly runs: number;
  readonly anchors: number;
  readonly findings: readonly Finding[];
}

/**
 * Computes every hash and checks every signature here, whatever the server says of itself.
 * `progress` is told the number of rows now and then.
 */
export async function verifyAudit(
  { keys, anchors, rows }: AuditSource,
  progress: (rows: number) => void = () => undefined,
): Promise<AuditReport> {
  const verifier = new AuditVerifier((text) => createHash('sha256').update(text).digest('hex'));
  for await (const { seq, jws, heads } of anchors)
    verifier.takeAnchor({ seq, jws, heads, anchor: await readAnchor(jws, keys) });
  for await (const row of rows) {
    verifier.takeRow(row);
    if (verifier.rows % 10_000 === 0) progress(verifier.rows);
  }
  const findings = verifier.finish();
  const { rows: checked, runs, anchors: held } = verifier;
  return { ok: findings.length === 0, rows: checked, runs, anchors: held, findings };
}
