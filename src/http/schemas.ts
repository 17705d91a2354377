import { z } from '@hono/zod-openapi';
import { phases } from '../domain/contract';
import { errorCatalogue, type ErrorCode } from '../domain/errors';
import { refundReasons } from '../domain/refund/request';
import { allocations, splitStates } from '../domain/refund/split';
import { reviewActions } from '../domain/refund/review';

/** What the API answers, for the OpenAPI document; the views in application/views.ts build it. */
export const time = z.iso.datetime().openapi({ description: 'UTC' });
export const json = z.unknown();

/** `nullable()` of a named schema is documented as something that null doesn't fit. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.null()]);

export const amountSchema = z
  .object({
    value: z.string().openapi({ example: '49.00' }),
    currency: z.string().openapi({ example: 'USD' }),
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
        of: z.object({ quantity: z.number().int(), amount: amountSchema }),
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
  .object({ scope: z.string(), reason: z.string(), actor: z.string(), at: time })
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
  .openapi('SplitRefund');

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
        refundId: z.string().nullable(),
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
    note: z.string().nullable(),
    review: z
      .object({
        code: z.string(),
        detail: z.string(),
        since: time,
        round: z.number().int(),
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
  .openapi('Refund');

export const timelineSchema = z
  .object({
    items: z.array(
      z.object({
        seq: z.number().int(),
        at: time,
        actor: z.string(),
        onBehalfOf: z.string().nullable(),
        event: z.string(),
        before: json.nullable(),
        after: json.nullable(),
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

const codes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]];

export const problemSchema = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    code: z.enum(codes),
    detail: z.string(),
    requestId: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .openapi('Problem');

export const answers = (status: number, description: string, schema: z.ZodType) => ({
  [status]: { description, content: { 'application/json': { schema } } },
});

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: problemSchema } },
});

/** These refusals, and what any call may meet: 500, or 503 while something is away. */
export const problems = (...statuses: number[]) => ({
  ...Object.fromEntries(statuses.map((status) => [status, problem(problemText[status] ?? 'Refused')])),
  default: problem('Something went wrong here, or something that is needed does not answer'),
});

const problemText: Record<number, string> = {
  400: 'Not readable, or without Idempotency-Key',
  401: 'No valid token',
  403: 'Not allowed',
  404: "Unknown, or another tenant's",
  409: 'In conflict with what has happened already',
  410: 'What is cited has changed since',
  413: 'Too large',
  415: 'Not JSON',
  422: 'A field is not as it should be',
};
