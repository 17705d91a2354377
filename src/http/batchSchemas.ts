import { z } from '@hono/zod-openapi';
import {
  batchApprovals,
  batchKinds,
  batchStates,
  itemOutcomes,
  type ItemOutcome,
} from '../domain/batch/batch';
import { refundReasons } from '../domain/refund/request';
import { amountSchema, heldSchema, orNull, time } from './schemas';

const count = z.number().int();

const summarySchema = z
  .object({
    count,
    sum: amountSchema,
    smallest: amountSchema,
    median: amountSchema,
    largest: amountSchema,
    payments: count,
    mostOfOnePayment: count,
    mostOfOneCustomer: count,
    reasons: z.partialRecord(z.enum(refundReasons), count),
    outliers: z.array(z.object({ row: count, paymentId: z.string(), amount: amountSchema })),
    outlierCount: count,
  })
  .openapi('ManifestSummary', { description: 'What may run, as it was frozen' });

export const batchSchema = z
  .object({
    batchId: z.string(),
    kind: z.enum(batchKinds),
    state: z.enum(batchStates),
    paused: z.object({ by: z.string(), at: time }).nullable(),
    cancelledBy: z.string().nullable(),
    approvalMode: z.enum(batchApprovals),
    dryRun: z.boolean(),
    requester: z.string(),
    onBehalfOf: z.string().nullable(),
    asked: orNull(amountSchema),
    rows: count,
    counts: z
      .object(
        Object.fromEntries(itemOutcomes.map((outcome) => [outcome, count])) as Record<
          ItemOutcome,
          typeof count
        >,
      )
      .openapi({ description: 'Rows by what has become of them' }),
    version: count.openapi({ description: 'Counts every change of the batch itself' }),
    manifestHash: z.string().nullable(),
    summary: orNull(summarySchema),
    approval: z.object({ id: z.string(), status: z.string(), votes: count, needed: count }).nullable(),
    brake: heldSchema,
    createdAt: time,
    endedAt: time.nullable(),
    links: z.object({
      ...{ self: z.string(), items: z.string(), result: z.string() },
      ...{ timeline: z.string(), events: z.string() },
    }),
  })
  .openapi('Batch');

export const itemSchema = z
  .object({
    row: count,
    name: z.string().nullable(),
    paymentId: z.string().nullable(),
    amount: orNull(amountSchema),
    outcome: z.enum(itemOutcomes),
    runId: z.string().nullable(),
    refundId: z.string().nullable(),
    code: z.string().nullable(),
    detail: z.string().nullable(),
  })
  .openapi('BatchItem');
