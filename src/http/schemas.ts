import { z } from '@hono/zod-openapi';
import { phases } from '../domain/contract';
import { refundReasons } from '../domain/refund/request';
import { allocations, splitStates } from '../domain/refund/split';
import { reviewActions } from '../domain/refund/review';
import { refusals, type RefusalStatus } from './refusals';

/** What the API answers, for the OpenAPI document; the views in application/views.ts build it. */
export const time = z.iso.datetime().openapi({ description: 'UTC' });
export const json = z.unknown().nonoptional();

/** `nullable()` of a named schema is documented as something that null doesn't fit. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.null()]);

export const amountSchema = z
  .object({
    value: z.string().openapi({ example: '49.00', description: 'Major units' }),
    currency: z.string().openapi({ example: 'USD', description: 'ISO 4217, upper case' }),
  })
  .openapi('Amount', { description: 'Major units as a decimal string' });

export const argumentsSchema = z
  .object({ amount: amountSchema, reason: z.enum(refundReasons) })
  .openapi('RefundArguments');

export const linesShape = {
  lines: z
    .array(
      z.object({
        lineId: z.string(),
        quantity: z.number().int(),
        of: z
          .object({ quantity: z.number().int(), amount: amountSchema })
          .describe('The line as it was bought: all its units, and what they cost together'),
        amount: amountSchema,
      }),
    )
    .openapi({ description: 'What it gives back of its order: units, the whole line, and their share' }),
  shipping: orNull(z.object({ of: amountSchema, amount: amountSchema })),
};

const linksSchema = z.object({
  self: z.string(),
  timeline: z.string(),
  events: z.string(),
  cancel: z.string(),
  review: z.string(),
});

export const heldSchema = z
  .object({
    scope: z.string().describe('A tenant, or * for all'),
    reason: z.string(),
    actor: z.string(),
    at: time,
  })
  .nullable()
  .openapi({
    description: 'The kill switch is pulled, by whom and why: no money moves until it is released',
  });

export const acceptedSchema = z
  .object({ runId: z.string(), phase: z.enum(phases), links: linksSchema })
  .openapi('AcceptedRefund');

export const splitSchema = z
  .object({
    splitId: z.string(),
    state: z.enum(splitStates),
    orderId: z.string(),
    amount: amountSchema,
    refunded: amountSchema,
    reason: z.enum(refundReasons),
    allocation: z.enum(allocations),
    requester: z.string(),
    refunds: z
      .array(
        z.object({
          runId: z.string(),
          paymentId: z.string(),
          amount: amountSchema,
          phase: z.enum(phases),
          links: linksSchema,
        }),
      )
      .openapi({ description: 'One for each payment that bears a part' }),
    createdAt: time,
    links: z.object({ self: z.string() }),
  })
  .openapi('SplitRefund', { description: 'refunded: what has gone back so far' });

export const refundSchema = z
  .object({
    runId: z.string(),
    phase: z.enum(phases),
    action: z.literal('issue_refund'),
    paymentId: z.string(),
    arguments: argumentsSchema,
    proposed: argumentsSchema,
    approved: orNull(argumentsSchema),
    executed: orNull(argumentsSchema),
    result: z
      .object({
        outcome: z.string(),
        refundId: z.string().nullable().describe("The provider's own id, re_…"),
        amount: orNull(amountSchema),
        code: z.string().nullable(),
        detail: z.string().nullable(),
      })
      .nullable(),
    requester: z.string(),
    onBehalfOf: z.string().nullable(),
    customerId: z.string().nullable(),
    orderId: z.string().nullable(),
    threadId: z.string().nullable(),
    ...linesShape,
    splitId: z.string().nullable().openapi({ description: 'The refund of an order that it is a part of' }),
    forkedFrom: z
      .object({ runId: z.string(), seq: z.number().int() })
      .nullable()
      .openapi({ description: 'The run that it was forked from, and the event of it' }),
    note: z.string().nullable(),
    review: z
      .object({
        code: z.string(),
        detail: z.string(),
        since: time,
        round: z.number().int().describe('Counts the reviews, from 1'),
        tried: z.array(z.string()),
        actions: z.array(z.enum(reviewActions)),
      })
      .nullable()
      .openapi({ description: 'Why it waits for a person, what was tried, and what he can do' }),
    approval: z
      .object({ id: z.string(), status: z.string(), revision: z.number().int(), deadline: time })
      .nullable(),
    brake: heldSchema,
    createdAt: time,
    updatedAt: time,
    links: linksSchema,
  })
  .openapi('Refund', {
    description: 'arguments: what holds now; what was asked for, approved and done is kept apart',
  });

export const timelineSchema = z
  .object({
    items: z.array(
      z.object({
        seq: z.number().int().describe('Counts up within the run; also the id of the live event'),
        at: time,
        actor: z.string(),
        onBehalfOf: z.string().nullable(),
        event: z.string(),
        before: json,
        after: json,
        reason: z.string().nullable(),
        policyVersion: z.string().nullable(),
        effectKey: z.string().nullable(),
        providerId: z.string().nullable(),
        hash: z.string(),
      }),
    ),
    nextCursor: z.string().nullable(),
  })
  .openapi('Timeline');

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });

export const answers = (status: number, description: string, schema: z.ZodType) => ({
  [status]: { description, content: { 'application/json': { schema } } },
});

/** Server-sent events, described by one of them. */
export const eventStream = (description: string, event: z.ZodObject) => ({
  200: { description, content: { 'text/event-stream': { schema: event } } },
});

/** The data of an event. @param of what the JSON in it is */
export const jsonData = (of: string) =>
  z.string().meta({ contentMediaType: 'application/json', description: of });

/** These refusals; what any call may meet besides is added in document.ts. */
export const problems = (...statuses: RefusalStatus[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${refusals[status].name}` }]),
  );
