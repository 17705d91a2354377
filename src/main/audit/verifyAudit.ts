import { readAnchor } from '../../adapters/signatures/anchorJws';
import { verifyChains, type AuditReport, type AuditSource } from '../../application/verifyAuditLog';

export type { AuditReport, AuditSource };

/** Whoever runs it checks everything himself: no server is believed. */
export function verifyAudit(source: AuditSource, progress?: (rows: number) => void): Promise<AuditReport> {
  return verifyChains(source, (jws, keys) => readAnchor(jws, [...keys]), progress);
}
