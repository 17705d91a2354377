import { createRoute, z } from '@hono/zod-openapi';
import { findPayment, paymentHistory } from '../application/paymentHistory';
import { ledgerAccounts } from '../domain/ledger/accounts';
import { parseInput, type Api, type HttpDependencies } from './context';
import { badCursor, decodeCursor, encodeCursor, pageQuery } from './cursor';
import { answers, pageOf, problems } from './schemas';

const figure = z.string().openapi({ example: '-30.00', description: 'Major units, with a sign' });

export const movementSchema = z
  .object({
    seq: z.number().int().describe('Counts up within the payment'),
    at: z.iso.datetime(),
    runId: z.string().nullable(),
    requester: z.string().nullable(),
    cause: z.string().openapi({ example: 'reserved', description: 'What the movement is' }),
    event: z.string().nullable().openapi({ description: 'The audit event of the same transaction' }),
    actor: z.string(),
    reason: z.string().nullable(),
    refundId: z.string().nullable(),
    currency: z.string(),
    movements: z.array(z.object({ account: z.enum(ledgerAccounts), value: figure })),
    balances: z.object({
      customer: figure,
      captured: figure,
      reserved: figure,
      unknown: figure,
      refunded: figure,
      disputed: figure,
    }),
  })
  .openapi('Movement', { description: 'The movements add up to nothing, and so do the balances after it' });

const historyQuery = z.object(pageQuery);

const route = createRoute({
  method: 'get',
  path: '/v1/payments/{paymentId}/history',
  operationId: 'paymentHistory',
  summary: "Every movement of a payment's money, oldest first, with the balances after each",
  security: [{ bearer: [] }],
  request: { params: z.object({ paymentId: z.string() }), query: historyQuery },
  responses: { ...answers(200, 'A page', pageOf(movementSchema)), ...problems(404, 422) },
});

/** `/v1/payments` */
export function paymentRoutes(api: Api, dependencies: HttpDependencies): void {
  api.openAPIRegistry.registerPath(route);

  api.get('/v1/payments/:paymentId/history', async (c) => {
    const principal = c.get('principal');
    const paymentId = await findPayment(dependencies, principal, c.req.param('paymentId'));
    const { cursor, limit } = parseInput(historyQuery, c.req.query());
    const after = cursor === undefined ? 0 : seqOf(cursor);
    const { items, nextCursor } = await paymentHistory(dependencies, principal, paymentId, { after, limit });
    return c.json({ items, nextCursor: encodeCursor(nextCursor) });
  });
}

function seqOf(cursor: string): number {
  const [, seq] = decodeCursor(cursor);
  if (!/^\d{1,9}$/.test(seq)) throw badCursor();
  return Number(seq);
}
