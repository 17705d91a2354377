import { z } from '@hono/zod-openapi';
import { decisionKinds } from '../domain/approval/message';
import { riskMarks } from '../domain/approval/risk';
import { rejectReasons } from '../domain/approval/state';
import { memorySources } from '../domain/memory/candidate';
import { batchAction, memoryAction, refundAction } from '../domain/refund/state';
import { refundReasons } from '../domain/refund/request';
import { amountSchema, argumentsSchema, heldSchema, json, linesShape, orNull, time } from './schemas';

const count = z.number().int();

const refundPastSchema = z
  .object({
    payment: z.object({
      refunds: count,
      refunded: amountSchema,
      rejections: count,
      ageHours: count,
      disputed: amountSchema,
    }),
    customer: z
      .object({
        refunds: count,
        refunded: amountSchema,
        lastHour: count,
        lastDay: count,
        last30Days: count,
        rejections: count,
      })
      .nullable(),
    toOtherMethod: z.boolean().nullable().describe('The money goes to another method than it came from'),
  })
  .openapi('RefundPast', {
    description: 'What there was besides this refund when its revision was opened; null is not known',
  });

const ruleSchema = z
  .object({
    kind: z.literal('procedural'),
    owner: z.string().nullable(),
    key: z.string().nullable(),
    value: z.string().nullable(),
    source: z.enum(memorySources).nullable(),
    confidence: z.number().nullable(),
    expiresAt: time.nullable(),
  })
  .openapi('RuleArguments', {
    description:
      'What would be remembered, of whom; no value once it is decided, and nothing once it is erased',
  });

export const approvalSchema = z
  .object({
    id: z.string(),
    runId: z.string(),
    action: z.enum([refundAction, batchAction, memoryAction]),
    target: z.string().describe('The payment; of a batch, the batch; of a rule of procedure, the candidate'),
    arguments: z.union([argumentsSchema, ruleSchema]),
    ...linesShape,
    revision: z.number().int().describe('From 1; every edit makes a new one, with another hash and no votes'),
    revisionReason: z.string().nullable(),
    proposalHash: z.string().describe('Names exactly this revision; a decision repeats it'),
    reason: z.enum(refundReasons).nullable().describe('Of a refund'),
    requester: z.string(),
    onBehalfOf: z.string().nullable(),
    policy: z
      .object({
        version: z.string(),
        ruleIds: z.array(z.string()),
        explanation: z.string(),
        aggregate: orNull(amountSchema),
        approverGroup: z.string(),
        oneFrom: z.string().nullable(),
        escalatedTo: z.array(z.string()),
      })
      .describe('aggregate: what this refund and the recent ones on the payment or customer come to'),
    votes: z.array(
      z.object({
        actor: z.string(),
        decisionId: z.string(),
        at: time,
        onAuthorityOf: z
          .string()
          .nullable()
          .describe('The approver whose say it is, where the voter has none of his own'),
      }),
    ),
    needed: z.number().int().describe('The whole number of votes, not what is still missing'),
    claim: z
      .object({ by: z.string(), at: time, until: time })
      .nullable()
      .openapi({ description: 'Who is at it; over by itself at `until`' }),
    delegations: z
      .array(z.object({ from: z.string(), to: z.string(), at: time }))
      .describe('Who has handed his say over to whom, now'),
    infoRequests: z.array(
      z.object({
        id: z.string().describe('What an answer names as questionId'),
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
        id: z.string().describe('What a decision names in evidenceSeen'),
        label: z.string(),
        url: z.string().nullable(),
        text: z.string().nullable(),
      }),
    ),
    facts: z.object({ risk: orNull(refundPastSchema) }).catchall(json),
    risk: z.array(z.enum(riskMarks)).openapi({ description: 'What a reviewer should stop at' }),
    brake: heldSchema,
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
