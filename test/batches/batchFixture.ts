import { randomUUID } from 'node:crypto';
import type { BatchView, ItemView } from '../../src/application/batches/views';
import type { EmbeddedPerson } from '../../src/sandbox/embeddedTenants';
import type { Answer } from '../support/api';
import { until } from '../support/processes';
import type { TestStack } from '../support/stack';

type Row = Readonly<Record<string, unknown>>;

/** The row of a file that asks for `value` of one payment. */
export function rowOf(paymentId: string, value = '10.00', more: Row = {}): Row {
  return { paymentId, amount: { value, currency: 'USD' }, reason: 'damaged', ...more };
}

/** Files sent to one stack, and what comes of them. */
export function batchesOf(stack: TestStack, tenant: 'acme' | 'globex' = 'acme') {
  const as = (person: EmbeddedPerson) => stack.as(person, tenant);

  const send = (
    rows: readonly Row[],
    options: Readonly<Record<string, string>> = {},
    key: string = randomUUID(),
    person: EmbeddedPerson = 'service',
  ): Promise<Answer> =>
    as(person).call(
      'POST',
      `/v1/batches?${new URLSearchParams(options).toString()}`,
      rows.map((row) => JSON.stringify(row)).join('\n'),
      { 'content-type': 'application/x-ndjson', 'idempotency-key': key },
    );

  const start = async (...file: Parameters<typeof send>): Promise<BatchView> => {
    const started = await send(...file);
    if (started.status !== 202) throw new Error(`expected 202, got ${started.status} ${started.text}`);
    return started.body as BatchView;
  };

  const show = async (batchId: string) =>
    (await as('admin').call('GET', `/v1/batches/${batchId}`)).body as BatchView;

  const untilBatch = async (batchId: string, is: (batch: BatchView) => boolean, limitMs?: number) => {
    let seen: BatchView | undefined;
    try {
      await until(async () => is((seen = await show(batchId))), limitMs);
    } catch (error) {
      throw new Error(`the batch is ${JSON.stringify(seen)}`, { cause: error });
    }
    return seen as unknown as BatchView;
  };

  const items = async (batchId: string, query = '?limit=200') =>
    (await as('admin').call('GET', `/v1/batches/${batchId}/items${query}`)).body.items as ItemView[];

  /** The manifest's approval once it is in the inbox, decided by that many people. */
  const approve = async (batchId: string, ...people: EmbeddedPerson[]) => {
    const { approval } = await untilBatch(batchId, (batch) => batch.approval !== null, 600_000);
    const open = await as('service').approval(approval?.id ?? '');
    for (const person of people) {
      const decided = await as(person).decide(open, 'approve');
      if (decided.status !== 200) throw new Error(`${person}: ${decided.status} ${decided.text}`);
    }
    return open;
  };

  const order = (
    batchId: string,
    what: 'pause' | 'resume' | 'cancel',
    person: EmbeddedPerson = 'service',
    expectedVersion?: unknown,
  ) =>
    as(person).call(
      'POST',
      `/v1/batches/${batchId}/${what}`,
      expectedVersion === undefined ? undefined : { expectedVersion },
    );

  /** So many payments of 100.00. */
  const charges = async (count: number): Promise<string[]> => {
    const made: string[] = [];
    const lane = async () => {
      while (made.length < count) made.push(await stack.provider.charge(10_000));
    };
    await Promise.all(Array.from({ length: 4 }, lane));
    return made.slice(0, count);
  };

  /** At the provider: how many refunds each payment has. */
  const refundsOf = async (paid: readonly string[]): Promise<Record<number, number>> => {
    const counts: Record<number, number> = {};
    for (const charge of paid) {
      const made = (await stack.provider.refunds(charge)).length;
      counts[made] = (counts[made] ?? 0) + 1;
    }
    return counts;
  };

  return { send, start, show, untilBatch, items, approve, order, charges, refundsOf };
}
