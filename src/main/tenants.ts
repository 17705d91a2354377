import { Database } from '../adapters/postgres/database';
import { PostgresStore } from '../adapters/postgres/store';
import { PostgresOwnSigningKeys, PostgresTenants } from '../adapters/postgres/tenants';
import { auditChange } from '../application/admin/administer';
import { bootstrapTenant, type FirstAdministrator } from '../application/admin/bootstrap';
import type { MintedKey } from '../application/admin/apiKeys';
import { owner } from '../domain/access/independence';
import { CountersignError } from '../domain/errors';
import type { TenantRecord } from '../ports/directory';
import type { OwnSigningKey } from '../ports/tenants';
import type { Settings } from './settings';

/** What only the owner of the database does; no API is needed, and none offers it. */
export async function runBootstrap(settings: Settings, first: FirstAdministrator): Promise<MintedKey> {
  return asOwner(settings, (database) =>
    bootstrapTenant({ store: new PostgresStore(database), tenants: new PostgresTenants(database) }, first),
  );
}

export async function listTenants(settings: Settings): Promise<TenantRecord[]> {
  return asOwner(settings, (database) => new PostgresTenants(database).list());
}

/** @throws CountersignError not_found */
export async function setTenantActive(
  settings: Settings,
  tenant: string,
  active: boolean,
): Promise<TenantRecord> {
  return asOwner(settings, async (database) => {
    const changed = await new PostgresTenants(database).setActive(tenant, active);
    if (!changed) throw new CountersignError('not_found', `there is no tenant ${tenant}`);
    const event = active ? 'tenant_activated' : 'tenant_deactivated';
    await new PostgresStore(database).inTenant(tenant, (unit) =>
      auditChange(unit, { tenant, id: owner }, { event, after: { active, version: changed.version } }),
    );
    return changed;
  });
}

export async function listSigningKeys(settings: Settings): Promise<OwnSigningKey[]> {
  return asOwner(settings, (database) => new PostgresOwnSigningKeys(database).list());
}

/** @throws CountersignError not_found */
export async function revokeSigningKey(settings: Settings, kid: string): Promise<OwnSigningKey> {
  return asOwner(settings, async (database) => {
    const revoked = await new PostgresOwnSigningKeys(database).revoke(kid);
    if (!revoked) throw new CountersignError('not_found', `Countersign has no signing key ${kid}`);
    return revoked;
  });
}

async function asOwner<T>(settings: Settings, work: (database: Database) => Promise<T>): Promise<T> {
  const url = settings.COUNTERSIGN_MIGRATION_DATABASE_URL ?? settings.DATABASE_URL;
  if (url === undefined)
    throw new CountersignError(
      'dependency_unavailable',
      "set COUNTERSIGN_MIGRATION_DATABASE_URL (or DATABASE_URL) to the database, with its owner's login",
    );
  const database = new Database(url, 2);
  try {
    return await work(database);
  } catch (error) {
    throw explained(error);
  } finally {
    await database.close();
  }
}

function explained(error: unknown): unknown {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (code === '42501')
    return new CountersignError(
      'forbidden',
      "that takes the owner's login; set COUNTERSIGN_MIGRATION_DATABASE_URL to it, not the application's",
    );
  if (code === '42P01' || code === '42703')
    return new CountersignError(
      'dependency_unavailable',
      'the schema is not there yet; run: countersign migrate',
    );
  return error;
}
