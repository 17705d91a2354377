import type { TenantRecord } from '../../ports/directory';
import type { Principal } from '../../ports/people';
import type { UseCases } from '../dependencies';
import { refuseSensitive } from '../freeText';
import { administer, auditChange, readAsAdministrator, stale } from './administer';

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
