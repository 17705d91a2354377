import type { Principal } from '../ports/people';
import type { SealedPayloads, WirePayload } from '../ports/payloads';
import { readAsAdministrator, tenantChain } from './admin/administer';
import type { UseCases } from './dependencies';

const hourMs = 3_600_000;

/**
 * Opens encrypted payloads of the administrator's own tenant (R38, R40). One audit row an hour says that he looked:
 * a page of Temporal's Web UI asks many times.
 * @throws CountersignError forbidden
 */
export async function revealPayloads(
  { store, sealed }: Pick<UseCases, 'store'> & { readonly sealed: SealedPayloads },
  principal: Principal,
  payloads: readonly WirePayload[],
): Promise<WirePayload[]> {
  const { tenant, id: actor } = principal;
  await readAsAdministrator({ store }, principal, async ({ audit }) => {
    const hour = new Date(Math.floor(Date.now() / hourMs) * hourMs).toISOString();
    const event = 'payloads_decoded';
    await audit.append({ runId: tenantChain(tenant), actor, event, step: `${event}:${actor}:${hour}` });
  });
  return sealed.reveal(tenant, payloads);
}
