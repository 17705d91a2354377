import { CountersignError, type BatchState, type Countersign } from 'countersign';

/**
 * Refunds every row of a CSV file as one run, which people approve as a whole.
 * @returns how it ended, and the outcome of every row in the order of the file
 */
export async function refundAll(countersign: Countersign, csv: string, campaign: string) {
  const { batchId } = await countersign.batches.start(
    { type: 'text/csv', text: csv },
    { idempotencyKey: `recall-${campaign}`, approval: 'manifest' },
  );
  const state = await untilEnded(countersign, batchId);
  const outcomes: string[] = [];
  for await (const { name, outcome } of countersign.batches.allItems(batchId))
    outcomes.push(`${name}: ${outcome}`);
  return { state, outcomes };
}

/** Looks at every row, also at the provider, and runs nothing. @returns what is wrong, row by row */
export async function faultsOf(countersign: Countersign, csv: string): Promise<string[]> {
  const file = { type: 'text/csv', text: csv } as const;
  const idempotencyKey = crypto.randomUUID();
  const { batchId } = await countersign.batches.start(file, { idempotencyKey, dryRun: true });
  await untilEnded(countersign, batchId);
  const faults: string[] = [];
  for await (const { row, code, detail } of countersign.batches.allItems(batchId, { outcome: 'left_out' }))
    faults.push(`row ${row}: ${code}, ${detail}`);
  return faults;
}

/** Without `invalidRows: 'leave_out'` a file with a fault is refused as a whole, and names each. */
export async function refusedRows(countersign: Countersign, csv: string): Promise<string[]> {
  try {
    await countersign.batches.start({ type: 'text/csv', text: csv }, { idempotencyKey: crypto.randomUUID() });
    return [];
  } catch (error) {
    if (!(error instanceof CountersignError) || error.code !== 'batch_invalid') throw error;
    const rows = error.details['rows'] as { row: number; field: string | null; code: string }[];
    return rows.map(({ row, field, code }) => `row ${row}, ${field ?? 'as a whole'}: ${code}`);
  }
}

/** People may take days over it. */
async function untilEnded(countersign: Countersign, batchId: string): Promise<BatchState> {
  let state: BatchState = 'checking';
  for await ({ state } of countersign.batches.watch(batchId));
  return state;
}
