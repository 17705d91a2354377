import { randomUUID } from 'node:crypto';
import type { RetentionChange } from '../../domain/retention/bodies';
import type { RetentionRule, RowCounts } from '../../domain/retention/retention';
import type { Principal } from '../../ports/people';
import type { UseCases } from '../dependencies';
import { administer, auditChange, readAsAdministrator, stale } from './administer';

export async function showRetention(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
): Promise<RetentionRule> {
  return readAsAdministrator(useCases, principal, ({ retention }) => retention.rule());
}

/** From the version that was read; what is not given stays. @throws CountersignError version_conflict */
export async function setRetention(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  { version, ...days }: RetentionChange,
): Promise<RetentionRule> {
  return administer(useCases, principal, 'set retention', async (unit, actor) => {
    const before = await unit.retention.rule();
    const given = Object.fromEntries(Object.entries(days).filter(([, value]) => value !== undefined));
    if (!(await unit.retention.set(version, given, actor.id))) throw stale(before.version);
    const after = await unit.retention.rule();
    await auditChange(unit, principal, {
      event: 'retention_changed',
      before: daysOf(before),
      after: daysOf(after),
    });
    return after;
  });
}

/** What a sweep would take now, and which holds keep it from more; changes nothing. */
export async function retentionDue(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
): Promise<{ due: RowCounts; holds: number }> {
  return readAsAdministrator(useCases, principal, async ({ retention, holds }) => ({
    due: await retention.due(),
    holds: await holds.standing(),
  }));
}

/** Sweeps now, besides the schedule. @throws CountersignError dependency_unavailable */
export async function startSweep(
  useCases: Pick<UseCases, 'store' | 'engine'>,
  principal: Principal,
): Promise<{ sweepId: string }> {
  const sweepId = `swp_${randomUUID().replaceAll('-', '')}`;
  const { tenant, id: requestedBy } = principal;
  await readAsAdministrator(useCases, principal, async () => undefined);
  await useCases.engine.sweep({ tenant, requestedBy, sweepId });
  return { sweepId };
}

function daysOf({ runDays, memoryDays, turnDays, version }: RetentionRule): Record<string, number> {
  return { runDays, memoryDays, turnDays, version };
}
