import { randomUUID } from 'node:crypto';
import { isSameIdentity } from '../domain/access/identity';
import { CountersignError } from '../domain/errors';
import type { ErasureReport, ErasureState, WaitingFor } from '../domain/erasure/erasure';
import { leftToRedelivery } from '../domain/outage';
import { groups } from '../domain/people';
import type { Erasure } from '../ports/erasures';
import type { Principal } from '../ports/people';
import type { Unit } from '../ports/store';
import { administer, readAsAdministrator } from './admin/administer';
import type { UseCases } from './dependencies';
import { refuseSensitiveIds } from './freeText';

export interface ErasureView {
  readonly id: string;
  readonly state: ErasureState;
  /** Null when it is over. */
  readonly person: string | null;
  readonly own: boolean;
  readonly requestedBy: string;
  readonly requestedAt: string;
  readonly confirmedBy: string | null;
  readonly waitingFor: readonly WaitingFor[];
  readonly report: ErasureReport | null;
  readonly finishedAt: string | null;
}

const listed = 200;

/**
 * Erases a person. Whoever asks for himself needs nobody; an administrator who asks for somebody else needs another
 * one. Asked for again while it is open, it is the same one.
 * @throws CountersignError sensitive_text; forbidden for anybody else
 */
export async function requestErasure(
  useCases: UseCases,
  principal: Principal,
  person: string,
): Promise<ErasureView> {
  refuseSensitiveIds({ person });
  const own = principal.kind === 'person' && isSameIdentity(person, principal.id);
  const subject = own ? principal.id : person;
  const erasure = own
    ? await useCases.store.inTenant(principal.tenant, async (unit) => {
        const before = await open(unit, principal, subject, own);
        return before.state === 'unconfirmed' ? confirmed(unit, principal, before) : before;
      })
    : await administer(useCases, principal, 'request an erasure', (unit) =>
        open(unit, principal, subject, own),
      );
  return started(useCases, principal, erasure);
}

/** By another administrator than who asked for it. @throws CountersignError not_found, separation_of_duties, erasure_not_open */
export async function confirmErasure(
  useCases: UseCases,
  principal: Principal,
  id: string,
): Promise<ErasureView> {
  const erasure = await administer(useCases, principal, `confirm erasure ${id}`, async (unit, actor) => {
    const before = await erasureOr404(unit, id);
    if (before.state === 'erasing' || before.state === 'finished') return before;
    if (before.state === 'cancelled') throw new CountersignError('erasure_not_open');
    if (before.requestedBy === actor.id)
      throw new CountersignError(
        'separation_of_duties',
        'whoever asks for the erasure of somebody else does not confirm it; another administrator must',
      );
    return confirmed(unit, principal, before);
  });
  return started(useCases, principal, erasure);
}

/** While nobody has confirmed it. @throws CountersignError not_found, erasure_not_open */
export async function cancelErasure(
  useCases: UseCases,
  principal: Principal,
  id: string,
): Promise<ErasureView> {
  const cancelled = await administer(useCases, principal, `cancel erasure ${id}`, async (unit) => {
    const before = await erasureOr404(unit, id);
    if (before.state === 'cancelled') return before;
    if (before.state !== 'unconfirmed')
      throw new CountersignError('erasure_not_open', 'it is confirmed, and can not be called back');
    await unit.erasures.cancel(id);
    await audit(unit, principal, id, 'erasure_cancelled');
    return erasureOr404(unit, id);
  });
  return erasureView(cancelled);
}

/** For administrators and whoever asked for it; nobody else learns that there is one. @throws CountersignError not_found */
export async function showErasure(
  { store }: UseCases,
  principal: Principal,
  id: string,
): Promise<ErasureView> {
  const erasure = await store.inTenant(principal.tenant, (unit) => erasureOr404(unit, id));
  const mayLook = erasure.requestedBy === principal.id || principal.groups.includes(groups.admins);
  if (!mayLook) throw new CountersignError('not_found');
  return erasureView(erasure);
}

/** The newest, for administrators. @throws CountersignError forbidden */
export async function listErasures(useCases: UseCases, principal: Principal): Promise<ErasureView[]> {
  const erasures = await readAsAdministrator(useCases, principal, (unit) => unit.erasures.list(listed));
  return erasures.map(erasureView);
}

async function open(unit: Unit, principal: Principal, subject: string, own: boolean): Promise<Erasure> {
  const id = `era_${randomUUID().replaceAll('-', '')}`;
  const made = await unit.erasures.request({ id, subject, own, requestedBy: principal.id });
  const erasure = made ? await erasureOr404(unit, id) : await unit.erasures.openOf(subject);
  if (!erasure) throw new CountersignError('dependency_unavailable', 'another one has just ended; try again');
  if (made) await audit(unit, principal, id, 'erasure_requested', { own });
  if (made && own) await unit.outbox.owe({ runId: id, kind: 'erasure', ref: id });
  return erasure;
}

async function confirmed(unit: Unit, principal: Principal, { id }: Erasure): Promise<Erasure> {
  await unit.erasures.confirm(id, principal.id);
  await unit.outbox.owe({ runId: id, kind: 'erasure', ref: id });
  await audit(unit, principal, id, 'erasure_confirmed');
  return erasureOr404(unit, id);
}

/** Owed in the outbox too: a Temporal that does not answer now gets it later. */
async function started(
  { store, engine }: UseCases,
  { tenant }: Principal,
  erasure: Erasure,
): Promise<ErasureView> {
  const { id } = erasure;
  if (erasure.state === 'erasing')
    await engine
      .erasePerson({ tenant, erasureId: id })
      .then(() => store.inTenant(tenant, (unit) => unit.outbox.done({ runId: id, kind: 'erasure', ref: id })))
      .catch(leftToRedelivery);
  return erasureView(erasure);
}

async function audit(
  unit: Unit,
  { id: actor }: Principal,
  runId: string,
  event: string,
  after?: Record<string, unknown>,
): Promise<void> {
  await unit.audit.append({ runId, actor, event, step: event, ...(after ? { after } : {}) });
}

async function erasureOr404({ erasures }: Unit, id: string): Promise<Erasure> {
  const erasure = await erasures.find(id);
  if (!erasure) throw new CountersignError('not_found');
  return erasure;
}

function erasureView({ subject, requestedAt, finishedAt, ...erasure }: Erasure): ErasureView {
  return {
    ...erasure,
    person: subject,
    requestedAt: new Date(requestedAt).toISOString(),
    finishedAt: finishedAt === null ? null : new Date(finishedAt).toISOString(),
  };
}
