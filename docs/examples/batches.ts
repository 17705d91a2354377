import { CountersignError, type Countersign } from 'countersign';

/**
 * Refunds every row of a CSV file as one run, which people approve as a whole.
 * @returns what it went through, and the outcome of every row in the order of the file
 */
export async function refundAll(countersign: Countersign, csv: string, campaign: string) {
  const { batchId } = await countersign.batches.start(
    { type: 'text/csv', text: csv },
    { idempotencyKey: `recall-${campaign}`, approval: 'manifest' },
  );
  const states: string[] = [];
  for await (const { state } of countersign.batches.watch(batchId)) states.push(state);
  const outcomes: string[] = [];
  for await (const { name, outcome } of countersign.batches.allItems(batchId))
    outcomes.push(`${name}: ${outcome}`);
  return { states, outcomes };
}

/** Looks at every row, also at the provider, and runs nothing. @returns what is wrong, row by row */
export async function faultsOf(countersign: Countersign, csv: string): Promise<string[]> {
  try {
    const file = { type: 'text/csv', text: csv } as const;
    await countersign.batches.start(file, { idempotencyKey: crypto.randomUUID(), dryRun: true });
    return [];
  } catch (error) {
    if (!(error instanceof CountersignError) || error.code !== 'batch_invalid') throw error;
    const rows = error.details['rows'] as { row: number; field: string | null; code: string }[];
    return rows.map(({ row, field, code }) => `row ${row}, ${field ?? 'as a whole'}: ${code}`);
  }
}
