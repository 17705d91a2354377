import { randomUUID } from 'node:crypto';
import { CountersignError } from '../../domain/errors';
import type { NewHold } from '../../domain/retention/bodies';
import type { LegalHold } from '../../ports/erasures';
import type { Principal } from '../../ports/people';
import type { Unit } from '../../ports/store';
import type { UseCases } from '../dependencies';
import { refuseSensitive, refuseSensitiveIds } from '../freeText';
import { administer, auditChange, readAsAdministrator } from './administer';

const listed = 200;

/** Those that stand, or those that were released; newest first. */
export async function listHolds(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  released: boolean,
): Promise<LegalHold[]> {
  return readAsAdministrator(useCases, principal, ({ holds }) => holds.list(released, listed));
}

/**
 * From now on nothing of this run, this person or the whole tenant is swept or erased.
 * @throws CountersignError sensitive_text; invalid_request for a run that is not there
 */
export async function placeHold(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  body: NewHold,
): Promise<LegalHold> {
  const subject = body.scope === 'tenant' ? null : body.subject;
  refuseSensitive('reason', body.reason);
  if (subject !== null) refuseSensitiveIds({ subject });
  return administer(useCases, principal, `place a legal hold on a ${body.scope}`, async (unit, actor) => {
    if (body.scope === 'run' && !(await unit.runs.find(body.subject)))
      throw new CountersignError('invalid_request', 'subject: there is no such run', {
        issues: [{ path: 'subject', message: 'there is no such run' }],
      });
    const id = `hld_${randomUUID().replaceAll('-', '')}`;
    const { scope, reason } = body;
    await unit.holds.place({ id, scope, subject, reason, placedBy: actor.id });
    await auditChange(unit, principal, { event: 'hold_placed', after: seen(id, scope, subject) });
    return holdOr404(unit, id);
  });
}

/** Repeated, it changes nothing. @throws CountersignError not_found */
export async function releaseHold(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  id: string,
): Promise<LegalHold> {
  return administer(useCases, principal, `release legal hold ${id}`, async (unit, actor) => {
    const { scope, subject, releasedAt } = await holdOr404(unit, id);
    if (releasedAt === null) {
      await unit.holds.release(id, actor.id);
      await auditChange(unit, principal, { event: 'hold_released', before: seen(id, scope, subject) });
    }
    return holdOr404(unit, id);
  });
}

/** The audit log stays for good, so it does not say which person it is. */
function seen(hold: string, scope: string, subject: string | null): Record<string, unknown> {
  return { hold, scope, ...(scope === 'run' ? { run: subject } : {}) };
}

async function holdOr404({ holds }: Unit, id: string): Promise<LegalHold> {
  const hold = await holds.find(id);
  if (!hold) throw new CountersignError('not_found');
  return hold;
}
