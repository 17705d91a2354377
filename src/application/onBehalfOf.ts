import { parseIdentity } from '../domain/access/identity';
import { unfit } from '../domain/access/separation';
import type { Unit } from '../ports/store';
import type { UseCases } from './dependencies';

/**
 * The human for whom a service or agent speaks, as he is compared later on. However his id is spelled, a person of the
 * tenant is that person, also one who is no longer active; anybody else is somebody outside, under one spelling.
 * @throws CountersignError invalid_request for what is no identity, and for a service or agent
 */
export async function humanBehind(
  { store }: Pick<UseCases, 'store'>,
  tenant: string,
  named: string | undefined,
): Promise<{ readonly onBehalfOf?: string }> {
  return named === undefined ? {} : store.inTenant(tenant, (unit) => humanIn(unit, named));
}

/** The same, inside a transaction. @throws CountersignError invalid_request */
export async function humanIn(
  { directory }: Pick<Unit, 'directory'>,
  named: string | undefined,
): Promise<{ readonly onBehalfOf?: string }> {
  if (named === undefined) return {};
  const identity = parseIdentity('onBehalfOf', named);
  const known = await directory.person(identity);
  if (!known) return { onBehalfOf: identity };
  if (known.kind !== 'person') throw unfit('onBehalfOf', `that is a ${known.kind}; name the human behind it`);
  return { onBehalfOf: known.id };
}
