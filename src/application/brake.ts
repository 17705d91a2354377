import type { Brake, BrakeMove } from '../ports/brakes';
import type { Principal } from '../ports/people';
import { checkPermitted } from './authorize';
import type { UseCases } from './dependencies';
import { refuseSensitive } from './freeText';

const shown = 20;

/** What holds the tenant's refunds back now, and who moved the switch before. */
export async function showBrake(
  { store }: UseCases,
  principal: Principal,
): Promise<{ engaged: Brake | null; history: BrakeMove[] }> {
  return store.inTenant(principal.tenant, async ({ brakes }) => ({
    engaged: (await brakes.engaged()) ?? null,
    history: await brakes.history(shown),
  }));
}

/**
 * Pulls or releases the tenant's kill switch. Pulled, no call to the provider starts; decisions and timers go on, and
 * what waits goes on by itself after the release (R55).
 * @throws CountersignError forbidden, sensitive_text
 */
export async function moveBrake(
  useCases: UseCases,
  principal: Principal,
  engaged: boolean,
  reason: string,
): Promise<void> {
  await checkPermitted(
    useCases,
    { who: principal, action: 'manage', setting: 'brake' },
    'only an administrator pulls or releases the brake',
  );
  refuseSensitive('reason', reason);
  await useCases.store.inTenant(principal.tenant, ({ brakes }) => brakes.move(engaged, reason, principal.id));
}
