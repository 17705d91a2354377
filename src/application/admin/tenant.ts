import { CountersignError } from '../../domain/errors';
import type { AuditRow } from '../../ports/audit';
import type { TenantRecord } from '../../ports/directory';
import type { Principal } from '../../ports/people';
import type { UseCases } from '../dependencies';
import { refuseSensitive } from '../freeText';
import { administer, auditChange, readAsAdministrator, stale, tenantChain } from './administer';

export async function showTenant(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
): Promise<TenantRecord> {
  return readAsAdministrator(useCases, principal, ({ directory }) => directory.tenant());
}

/** @throws CountersignError sensitive_text, version_conflict */
export async function renameTenant(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  name: string,
  version: number,
): Promise<TenantRecord> {
  refuseSensitive('name', name);
  return administer(useCases, principal, 'rename tenant', async (unit) => {
    const before = await unit.directory.tenant();
    if (!(await unit.directory.renameTenant(name, version))) throw stale(before.version);
    await auditChange(unit, principal, {
      event: 'tenant_renamed',
      before: { name: before.name },
      after: { name, version: version + 1 },
    });
    return unit.directory.tenant();
  });
}

/** Every change of people, groups and keys, and every refused attempt, newest first. */
export async function listChanges(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  { before, limit }: { readonly before?: number; readonly limit: number },
): Promise<{ items: AuditRow[]; next: number | null }> {
  if (before !== undefined && !Number.isSafeInteger(before)) throw new CountersignError('invalid_request');
  return readAsAdministrator(useCases, principal, async (unit) => {
    const rows = await unit.audit.newestOf(tenantChain(principal.tenant), before, limit + 1);
    const items = rows.slice(0, limit);
    return { items, next: rows.length > limit ? (items.at(-1)?.seq ?? null) : null };
  });
}
