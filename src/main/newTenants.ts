import type { Store } from '../ports/store';

/** @returns one round: it does the work for each tenant that this process has not done it for yet */
export function forNewTenants(
  store: Pick<Store, 'tenants'>,
  work: (tenant: string) => Promise<void>,
): () => Promise<void> {
  const seenTo = new Set<string>();
  return async () => {
    for (const tenant of await store.tenants()) {
      if (seenTo.has(tenant)) continue;
      await work(tenant);
      seenTo.add(tenant);
    }
  };
}
