import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { stream } from 'hono/streaming';
import { csvLine } from '../domain/csvLine';
import { itemsOf, showBatch, type Needs } from '../application/batches/readBatches';
import { itemView, type ItemView } from '../application/batches/views';
import type { Principal } from '../ports/people';
import { parseInput } from './context';
import { problems } from './schemas';

const resultQuery = z.object({ format: z.enum(['csv', 'jsonl']).default('csv') });
const mediaTypes = { csv: 'text/csv', jsonl: 'application/x-ndjson' } as const;

export const resultRoute = createRoute({
  method: 'get',
  path: '/v1/batches/{batchId}/result',
  operationId: 'batchResult',
  summary: 'One row for each row of the file, with what has become of it',
  security: [{ bearer: [] }],
  request: { params: z.object({ batchId: z.string() }), query: resultQuery },
  responses: {
    200: {
      description: 'The file',
      content: Object.fromEntries(Object.values(mediaTypes).map((type) => [type, { schema: z.string() }])),
    },
    ...problems(404, 422),
  },
});

/** A page at a time, so that thousands of rows are never all in memory. */
export async function sendResult(
  c: Context,
  dependencies: Needs,
  principal: Principal,
  batchId: string,
): Promise<Response> {
  await showBatch(dependencies, principal, batchId);
  const { format } = parseInput(resultQuery, c.req.query());
  c.header('content-type', `${mediaTypes[format]}; charset=utf-8`);
  c.header('content-disposition', `attachment; filename="${batchId}.${format}"`);
  const line = format === 'csv' ? csvOf : (item: ItemView) => `${JSON.stringify(item)}\n`;
  return stream(c, async (out) => {
    if (format === 'csv') await out.write(csvLine(columns));
    for await (const page of itemsOf(dependencies, principal, batchId))
      await out.write(page.map((item) => line(itemView(item))).join(''));
  });
}

const columns = [
  'row',
  'name',
  'paymentId',
  'amount',
  'currency',
  'outcome',
  'runId',
  'refundId',
  'code',
  'detail',
];

function csvOf({ amount, ...item }: ItemView): string {
  const { row, name, paymentId, outcome, runId, refundId, code, detail } = item;
  return csvLine([
    row,
    name,
    paymentId,
    amount?.value,
    amount?.currency,
    outcome,
    runId,
    refundId,
    code,
    detail,
  ]);
}
