import type { Transaction } from './database';

/** The human for whom a service or an agent did this, once. `step`: of the run's audit row; none for a memory decision. */
export async function keepSpokenFor(
  trx: Transaction,
  tenant: string,
  said: { readonly ref: string; readonly step?: string; readonly onBehalfOf: string | undefined },
): Promise<void> {
  if (said.onBehalfOf === undefined) return;
  await trx
    .insertInto('spoken_for')
    .values({ tenant, ref: said.ref, step: said.step ?? '', on_behalf_of: said.onBehalfOf })
    .onConflict((oc) => oc.columns(['tenant', 'ref', 'step']).doNothing())
    .execute();
}
