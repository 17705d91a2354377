import { Database } from '../../src/adapters/postgres/database';
import { PostgresStore } from '../../src/adapters/postgres/store';
import { PostgresTenants } from '../../src/adapters/postgres/tenants';
import { bootstrapTenant } from '../../src/application/admin/bootstrap';
import { apiCaller, type ApiCaller } from '../support/api';
import { query } from '../support/database';
import type { TestStack } from '../support/stack';

/** Everything on the tenant's own chain of the audit log, as the superuser sees it. */
export async function changesOf(
  stack: TestStack,
  tenant = 'acme',
): Promise<{ actor: string; event: string; before: unknown; after: unknown; reason: string | null }[]> {
  return query(
    stack.database.adminUrl,
    'select actor, event, before, after, reason from audit where run_id = $1 order by seq',
    [`tenant/${tenant}`],
  );
}

let added = 0;

export interface Somebody {
  readonly id: string;
  readonly token: string;
  readonly key: string;
  readonly as: ApiCaller;
}

/** A new person of a tenant with a key that opens: made by one administrator, confirmed where that takes another. */
export async function somebody(
  stack: TestStack,
  groups: string[],
  scopes: string[],
  more: { kind?: string; limit?: string | null } = {},
): Promise<Somebody> {
  added += 1;
  const id = `person-${added}`;
  const admin = stack.as('admin');
  const person = await admin.call('POST', '/v1/admin/people', {
    id,
    kind: 'person',
    displayName: 'Somebody',
    groups,
    ...more,
  });
  if (person.status !== 201) throw new Error(person.text);
  const made = await admin.call('POST', '/v1/admin/keys', { person: id, name: 'laptop', scopes });
  if (made.status !== 201) throw new Error(made.text);
  const { key, token } = made.body as { key: { id: string; state: string }; token: string };
  if (key.state === 'unconfirmed') {
    const second = await secondAdministrator(stack);
    const confirmed = await second.as.call('POST', `/v1/admin/keys/${key.id}/confirm`);
    if (confirmed.status !== 200) throw new Error(confirmed.text);
  }
  return { id, token, key: key.id, as: apiCaller(stack.apiUrl, token) };
}

const seconds = new WeakMap<TestStack, Promise<Somebody>>();

/** The embedded tenant has one administrator; the second comes from the owner of the database, as in any new install. */
export function secondAdministrator(stack: TestStack): Promise<Somebody> {
  const known = seconds.get(stack) ?? fromOwner(stack, 'second-admin');
  seconds.set(stack, known);
  return known;
}

/** An administrator of acme by the owner's command. */
export async function fromOwner(stack: TestStack, id: string): Promise<Somebody> {
  const database = new Database(stack.database.ownerUrl, 1);
  try {
    const parts = { store: new PostgresStore(database), tenants: new PostgresTenants(database) };
    const named = { tenant: 'acme', tenantName: 'Acme', person: id, displayName: 'Second' };
    const { token, key } = await bootstrapTenant(parts, named);
    return { id, token, key: key.id, as: apiCaller(stack.apiUrl, token) };
  } finally {
    await database.close();
  }
}
