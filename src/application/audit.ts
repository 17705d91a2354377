import { createHash } from 'node:crypto';
import { headsText, noHash, type Anchor, type ChainedRow, type Head } from '../domain/audit/chain';
import { CountersignError } from '../domain/errors';
import { groups } from '../domain/people';
import type {
  AnchorKey,
  AnchorSigner,
  AuditFilter,
  AuditLog,
  AuditPage,
  AuditPosition,
  ChainPosition,
  StoredAnchor,
} from '../ports/auditLog';
import type { Principal } from '../ports/people';

export interface AuditUseCases {
  readonly auditLog: AuditLog;
  readonly anchorSigner: AnchorSigner;
}

/** Rows newest first. @throws CountersignError forbidden */
export async function searchAudit(
  { auditLog }: AuditUseCases,
  principal: Principal,
  filter: AuditFilter,
  before: AuditPosition | undefined,
  limit: number,
): Promise<AuditPage> {
  checkMayRead(principal);
  return auditLog.search(principal.tenant, filter, before, limit);
}

/** Rows by run and number, to be verified or kept elsewhere. @throws CountersignError forbidden */
export async function exportChains(
  { auditLog }: AuditUseCases,
  principal: Principal,
  after: ChainPosition | undefined,
  limit: number,
): Promise<ChainedRow[]> {
  checkMayRead(principal);
  return auditLog.chains(principal.tenant, after, limit);
}

/** @throws CountersignError forbidden */
export async function listAnchors(
  { auditLog }: AuditUseCases,
  principal: Principal,
  after: number,
  limit: number,
): Promise<StoredAnchor[]> {
  checkMayRead(principal);
  return auditLog.anchors(principal.tenant, after, limit);
}

/** What anchors name of a part of the chains. @throws CountersignError forbidden */
export async function listHeads(
  { auditLog }: AuditUseCases,
  principal: Principal,
  after: ChainPosition | undefined,
  upTo: ChainPosition | undefined,
): Promise<Head[]> {
  checkMayRead(principal);
  return auditLog.heads(principal.tenant, after, upTo);
}

/** Public halves of the keys that sign anchors. @throws CountersignError forbidden */
export async function auditKeys({ auditLog }: AuditUseCases, principal: Principal): Promise<AnchorKey[]> {
  checkMayRead(principal);
  return auditLog.keys();
}

/** An anchor now, of the asker's tenant. @returns undefined when nothing has grown since the last */
export async function anchorNow(useCases: AuditUseCases, principal: Principal): Promise<Anchor | undefined> {
  checkMayRead(principal);
  return anchorTenant(useCases, principal.tenant, 0);
}

/** An anchor for every tenant whose last one is older than `everyMs`. @returns how many were set */
export async function anchorAll(useCases: AuditUseCases, everyMs: number): Promise<number> {
  let set = 0;
  for (const tenant of await useCases.auditLog.tenants())
    if (await anchorTenant(useCases, tenant, everyMs)) set += 1;
  return set;
}

async function anchorTenant(
  { auditLog, anchorSigner }: AuditUseCases,
  tenant: string,
  minAgeMs: number,
): Promise<Anchor | undefined> {
  const sealed = await auditLog.anchor(tenant, minAgeMs, async (heads, last) => {
    const anchor: Anchor = {
      tenant,
      seq: (last?.seq ?? 0) + 1,
      at: new Date().toISOString(),
      heads: heads.length,
      headsHash: sha256(headsText(heads)),
      previous: last ? sha256(last.jws) : noHash,
    };
    return { anchor, jws: await anchorSigner.sign(anchor) };
  });
  return sealed?.anchor;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function checkMayRead({ groups: member }: Principal): void {
  if (member.includes(groups.admins) || member.includes(groups.auditors)) return;
  throw new CountersignError('forbidden', 'only administrators and auditors read the audit log');
}
