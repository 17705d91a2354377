import type { Countersign } from 'countersign';

/** Every movement of a payment's money, and the differences between our books and those of the provider. */
export async function booksOf(operator: Countersign, paymentId: string) {
  const causes: string[] = [];
  for await (const { cause } of operator.payments.allHistory(paymentId)) causes.push(cause);
  const { id } = await operator.reconciliations.start(1);
  for await (const { state } of operator.reconciliations.watch(id))
    if (state === 'failed') throw new Error(id);
  const { items: differences } = await operator.reconciliations.differences({ status: 'open' });
  return { causes, differences: differences.map(({ kind }) => kind) };
}

/** No call to the provider starts while the kill switch is pulled; decisions and deadlines go on. */
export async function stopFor<Done>(
  administrator: Countersign,
  reason: string,
  work: () => Promise<Done>,
): Promise<Done> {
  await administrator.brake.pull(reason);
  try {
    return await work();
  } finally {
    await administrator.brake.release(`over: ${reason}`);
  }
}

/** What one person has done since that moment, from the audit log. */
export async function whatHeDid(administrator: Countersign, actor: string, from: string) {
  const events: string[] = [];
  for await (const { event } of administrator.audit.searchAll({ actor, from })) events.push(event);
  return events;
}

/** What another policy would change, without publishing it: every amount takes one more person. */
export async function whatIfStricter(administrator: Countersign) {
  const { cedar, table, cases } = await administrator.policies.show();
  const stricter = table.otherCurrencies.map((tier) => ({ ...tier, approvers: tier.approvers + 1 }));
  const report = await administrator.policies.check({
    cedar,
    table: { ...table, otherCurrencies: stricter },
    cases,
  });
  return report.changes;
}
