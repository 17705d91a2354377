import { z } from '@hono/zod-openapi';
import { decisionKinds } from '../domain/approval/message';
import { riskMarks } from '../domain/approval/risk';
import { rejectReasons } from '../domain/approval/state';
import { phases } from '../domain/contract';
import { errorCatalogue, type ErrorCode } from '../domain/errors';
import { refundReasons } from '../domain/refund/request';
import { reviewActions } from '../domain/refund/review';

/** What the API answers, for the OpenAPI document; the views in application/views.ts build it. */
const time = z.iso.datetime().openapi({ description: 'UTC' });
const json = z.unknown();

/** `nullable()` of a named schema is documented as something that null doesn't fit. */
const orNull = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.null()]);

export const amountSchema = z
  .object({
    value: z.string().openapi({ example: '49.00' }),
    currency: z.string().openapi({ example: 'USD' }),
  })
  .openapi('Amount', { description: 'Major units as a decimal string' });

const argumentsSchema = z
  .object({ amount: amountSchema, reason: z.enum(refundReasons) })
  .openapi('RefundArguments');

const linksSchema = z.object({
  self: z.string(),
  timeline: z.string(),
  events: z.string(),
  cancel: z.string(),
  review: z.string(),
});

export const acceptedSchema = z
  .object({ runId: z.string(), phase: z.enum(phases), links: linksSchema })
  .openapi('AcceptedRefund');

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
    createdAt: time,
    updatedAt: time,
    links: linksSchema,
  })
  .openapi('Refund');

export const approvalSchema = z
  .object({
    id: z.string(),
    runId: z.string(),
    action: z.literal('issue_refund'),
    target: z.string(),
    arguments: argumentsSchema,
    revision: z.number().int(),
    revisionReason: z.string().nullable(),
    proposalHash: z.string(),
    reason: z.enum(refundReasons),
    requester: z.string(),
    onBehalfOf: z.string().nullable(),
    policy: z.object({
      version: z.string(),
      ruleIds: z.array(z.string()),
      explanation: z.string(),
      aggregate: amountSchema,
      approverGroup: z.string(),
      oneFrom: z.string().nullable(),
      escalatedTo: z.array(z.string()),
    }),
    votes: z.array(
      z.object({ actor: z.string(), decisionId: z.string(), at: time, onAuthorityOf: z.string().nullable() }),
    ),
    needed: z.number().int(),
    claim: z
      .object({ by: z.string(), at: time, until: time })
      .nullable()
      .openapi({ description: 'Who is at it; over by itself at `until`' }),
    delegations: z.array(z.object({ from: z.string(), to: z.string(), at: time })),
    infoRequests: z.array(
      z.object({
        id: z.string(),
        by: z.string(),
        question: z.string(),
        at: time,
        open: z.boolean(),
        answer: z.object({ by: z.string(), text: z.string(), at: time }).nullable(),
      }),
    ),
    openedAt: time,
    deadline: time,
    clock: z.object({ pausedSince: time.nullable(), extendedFrom: time.nullable() }).openapi({
      description:
        'pausedSince: a question stops the clock, the deadline is the latest it can be. extendedFrom: what the deadline was before an outage',
    }),
    evidence: z.array(
      z.object({
        id: z.string(),
        label: z.string(),
        url: z.string().nullable(),
        text: z.string().nullable(),
      }),
    ),
    facts: z.record(z.string(), json),
    risk: z.array(z.enum(riskMarks)).openapi({ description: 'What a reviewer should stop at' }),
    timeline: z
      .array(
        z.object({
          decisionId: z.string(),
          decision: z.enum(decisionKinds),
          actor: z.string(),
          at: time,
          revision: z.number().int().nullable(),
          comment: z.string().nullable(),
          reasonCode: z.enum(rejectReasons).nullable(),
          to: z.string().nullable(),
          questionId: z.string().nullable(),
          evidenceSeen: z.array(z.string()).nullable(),
        }),
      )
      .openapi({ description: 'Every decision that took effect, with what was said' }),
    status: z.enum(['open', 'approved', 'rejected', 'expired', 'cancelled']),
    decidedBy: z
      .object({
        actor: z.string(),
        decision: z.string(),
        at: time,
        reasonCode: z.enum(rejectReasons).nullable(),
      })
      .nullable(),
  })
  .openapi('Approval');

export const recordedSchema = z
  .object({ status: z.literal('recorded'), decisionId: z.string() })
  .openapi('RecordedDecision', { description: 'On record; applied as soon as a worker is up' });

export const timelineSchema = z
  .object({
    items: z.array(
      z.object({
        seq: z.number().int(),
        at: time,
        actor: z.string(),
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
  413: 'Too large',
  415: 'Not JSON',
  422: 'A field is not as it should be',
};
