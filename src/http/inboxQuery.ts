import { z } from '@hono/zod-openapi';
import type { InboxQuery } from '../application/readInbox';
import { riskMarks } from '../domain/approval/risk';
import { approvalStatuses } from '../domain/approval/state';
import { externalId, freeText } from '../domain/refund/request';
import { inboxOrders, type InboxOrder, type InboxPosition } from '../ports/inbox';
import type { Principal } from '../ports/people';
import { amountBounds, amountQuery, needsCurrency } from './amountQuery';
import { decodePosition, instant, pageQuery } from './cursor';

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const age = z.string().regex(/^\d{1,6}[smhd]?$/, 'a number of seconds, or with a unit: 90s, 15m, 24h, 3d');

export const inboxQuery = z.object({
  status: z.enum(approvalStatuses).optional(),
  group: freeText.min(1).max(64).optional(),
  assignee: externalId.optional().openapi({ description: 'Holds an unexpired claim; `me` is whoever asks' }),
  min_age: age.optional(),
  due_in: age.optional().openapi({ description: 'The deadline is at most this far away' }),
  ...amountQuery,
  customer: externalId.optional(),
  risk: z.enum(riskMarks).optional(),
  q: freeText.min(1).max(200).optional().openapi({ description: 'Words, "phrases" and -exclusions' }),
  sort: z.enum(inboxOrders).default('oldest').openapi({ description: '`amount` needs `currency`' }),
  ...pageQuery,
});

/** @throws CountersignError invalid_request, amount_* for bounds that are no amounts of the currency */
export function inboxQueryOf(asked: z.infer<typeof inboxQuery>, { id }: Principal): InboxQuery {
  const { status, group, assignee, customer, risk, q, sort, currency } = asked;
  if (sort === 'amount' && currency === undefined) throw needsCurrency();
  const filter = {
    status,
    group,
    assignee: assignee === 'me' ? id : assignee,
    openedBefore: asked.min_age === undefined ? undefined : Date.now() - ageMs(asked.min_age),
    deadlineBefore: asked.due_in === undefined ? undefined : Date.now() + ageMs(asked.due_in),
    currency,
    ...amountBounds(asked),
    customer,
    risk,
    text: q,
  };
  return {
    filter: Object.fromEntries(Object.entries(filter).filter(([, v]) => v !== undefined)),
    order: sort,
    after: asked.cursor === undefined ? undefined : positionOf(asked.cursor, sort),
    limit: asked.limit,
  };
}

/** A cursor goes on with the order that it was made under. */
function positionOf(cursor: string, order: InboxOrder): InboxPosition {
  const value = order === 'amount' ? z.string().regex(/^\d{1,16}$/) : instant;
  const [, sorted, id] = decodePosition(z.tuple([z.literal(order), value, externalId]), cursor);
  return { value: sorted, id };
}

function ageMs(text: string): number {
  const unit = text.at(-1) as keyof typeof unitMs;
  return unit in unitMs ? Number(text.slice(0, -1)) * unitMs[unit] : Number(text) * unitMs.s;
}
