import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { showBatch } from '../../application/batches/readBatches';
import { startBatch } from '../../application/batches/startBatch';
import { decide } from '../../application/decide';
import { showApproval } from '../../application/readInbox';
import { bareTaskQueue } from './bare/contract';
import { median } from './report';
import type { Workshop } from './workshop';

export interface BatchBench {
  readonly rows: number;
  readonly rounds: number;
  /** Rows a second: from the last vote to the last row of Countersign, from start to end of the bare one. */
  readonly barePerSecond: readonly number[];
  readonly countersignPerSecond: readonly number[];
  /** Of the medians. */
  readonly ratio: number;
  /** At the provider: calls that make a refund, and refunds, of both together. */
  readonly provider: { readonly calls: number; readonly made: number };
}

/** Minor units: so little that one approver may agree to the whole of it. */
const minor = 100;
/** As many of the bare children at a time as Countersign's window has. */
const atOnce = 40;
const lookEveryMs = 100;

/** The same number of rows as a batch and as bare Temporal children that call the same provider, round by round in turn. */
export async function benchBatches(
  workshop: Workshop,
  { rows, rounds }: { readonly rows: number; readonly rounds: number },
  say: (line: string) => void,
): Promise<BatchBench> {
  const before = await workshop.provider.refunds();
  const [bare, ours]: [number[], number[]] = [[], []];
  // Both in their stride before anything is measured.
  await bareRound(workshop, 20);
  await countersignRound(workshop, 20);
  for (let round = 1; round <= rounds; round += 1) {
    bare.push(await bareRound(workshop, rows));
    ours.push(await countersignRound(workshop, rows));
    say(
      `round ${round}/${rounds}: bare ${bare.at(-1)?.toFixed(1)} a second, countersign ${ours.at(-1)?.toFixed(1)}`,
    );
  }
  const after = await workshop.provider.refunds();
  return {
    ...{ rows, rounds, barePerSecond: bare, countersignPerSecond: ours, ratio: median(ours) / median(bare) },
    provider: { calls: after.calls - before.calls, made: after.made - before.made },
  };
}

async function bareRound(workshop: Workshop, rows: number): Promise<number> {
  const { temporal, provider } = workshop;
  await workshop.worker('bare');
  const refunds = (await provider.charges(rows)).map((charge) => ({
    id: `bare-row/${charge}`,
    charge,
    amount: minor,
  }));
  const started = performance.now();
  await temporal.workflow.execute('bareBatch', {
    workflowId: `bare-batch/${randomUUID()}`,
    taskQueue: bareTaskQueue,
    args: [refunds, atOnce],
  });
  return perSecond(rows, started);
}

async function countersignRound(workshop: Workshop, rows: number): Promise<number> {
  const { provider, access } = workshop;
  await workshop.worker('countersign');
  const { useCases, requester, reviewer } = access;
  const file = (await provider.charges(rows)).map((paymentId) => ({
    value: { paymentId, amount: { value: '1.00', currency: 'USD' }, reason: 'damaged' },
  }));
  const how = { kind: 'refunds', approval: 'manifest', dryRun: false, invalidRows: 'refuse' } as const;
  const { batchId } = await startBatch(useCases, requester.principal, randomUUID(), { ...how, rows: file });
  const look = () => showBatch(useCases, requester.principal, batchId);
  let seen = await look();
  for (; seen.approval === null; seen = await look()) await setTimeout(lookEveryMs);
  const { id, proposalHash } = await showApproval(useCases, reviewer.principal, seen.approval.id);
  const started = performance.now();
  await decide(useCases, reviewer.principal, id, { decision: 'approve', proposalHash }, 'bench');
  for (; seen.endedAt === null; seen = await look()) await setTimeout(lookEveryMs);
  if (seen.counts.completed !== rows)
    throw new Error(`only ${seen.counts.completed} of ${rows} rows were paid`);
  return perSecond(rows, started);
}

function perSecond(rows: number, started: number): number {
  return rows / ((performance.now() - started) / 1_000);
}
