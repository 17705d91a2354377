import { z } from '@hono/zod-openapi';
import { phases } from '../domain/contract';
import { externalId } from '../domain/refund/request';
import type { RunFilter } from '../ports/runs';
import { amountBounds, amountQuery } from './amountQuery';
import { decodeCursor, moment, pageQuery } from './cursor';

export const refundQuery = z.object({
  phase: z.enum(phases).optional(),
  customer: externalId.optional(),
  payment: externalId.optional().openapi({ description: 'The one id of the payment, `ch_…`' }),
  requester: externalId.optional(),
  from: moment.openapi({ description: 'Taken in at this moment or later' }),
  to: moment.openapi({ description: 'Taken in before this moment' }),
  ...amountQuery,
  ...pageQuery,
});

/** @throws CountersignError invalid_request, amount_* for bounds that are no amounts of the currency */
export function refundFilterOf(asked: z.infer<typeof refundQuery>): RunFilter {
  const { phase, customer, payment: paymentId, requester, currency, limit, from, to } = asked;
  const position = asked.cursor === undefined ? undefined : decodeCursor(asked.cursor);
  const filter = {
    phase,
    customer,
    paymentId,
    requester,
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
    currency,
    ...amountBounds(asked),
    cursor: position && { createdAt: position[0], runId: position[1] },
  };
  return { ...Object.fromEntries(Object.entries(filter).filter(([, v]) => v !== undefined)), limit };
}
