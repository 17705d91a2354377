import { z } from '@hono/zod-openapi';
import {
  agentRunStatuses,
  agentStepStatuses,
  agentStepTypes,
  type AgentStepOutput,
  type AgentStepType,
} from '../domain/agent/state';
import { finalPhases, phases } from '../domain/contract';
import { refundReasons } from '../domain/refund/request';
import { errorCode } from './refusals';
import { amountSchema, orNull, time } from './schemas';

const ids = z.array(z.string());

/** What each type of step comes to: ids and figures alone. */
const outputOfStep = {
  look_up_order: z.object({ paymentId: z.string(), captured: amountSchema, remaining: amountSchema }),
  gather_evidence: z.object({ turns: ids.openapi({ description: '`thread:<id>#<seq>`' }) }),
  recall_memory: z.object({ memories: ids }),
  search_knowledge: z.object({
    passages: ids.openapi({ description: '`knowledge:<document>#<version>.<passage>`' }),
  }),
  draft_refund: z.object({
    amount: amountSchema,
    reason: z.enum(refundReasons),
    cites: ids,
    by: z.string().openapi({ description: '`rules`, or the name of a model' }),
  }),
  propose_refund: z.object({ refundRunId: z.string(), phase: z.enum(phases) }),
  await_refund: z.object({
    refundRunId: z.string(),
    outcome: z.enum(finalPhases),
    amount: orNull(amountSchema),
  }),
  notify: z.object({ told: z.string().openapi({ description: 'The message that told the customer' }) }),
} satisfies Record<AgentStepType, z.ZodType<AgentStepOutput>>;

const count = z.number().int();

const searches = ['recall_memory', 'search_knowledge'] as const;
const stepSchema = z
  .union([
    z.object({ id: z.string(), type: z.enum(searches), limit: count }),
    z.object({ id: z.string(), type: z.enum(agentStepTypes).exclude(searches) }),
  ])
  .openapi('AgentStep', { description: 'A step of a plan; `id` is unique within the run' });

export const agentRunSchema = z
  .object({
    runId: z.string(),
    tenantId: z.string(),
    conversationId: z.string(),
    goal: z.string().nullable().openapi({ description: 'Null once its words were erased' }),
    plan: z.array(stepSchema),
    plannedBy: z.string().nullable().openapi({ description: '`rules`, or the name of a model' }),
    nextStepIndex: count,
    stepStatuses: z.record(z.string(), z.enum(agentStepStatuses)),
    stepOutputs: z
      .record(
        z.string(),
        z.union(Object.values(outputOfStep)).openapi('AgentStepOutput', {
          description: 'Ids and figures that a step came to',
        }),
      )
      .openapi({ description: 'By the id of the step' }),
    retryCounts: z.record(z.string(), count),
    status: z.enum(agentRunStatuses),
    lastError: orNull(
      z.object({ code: errorCode, stepId: z.string(), detail: z.string() }).openapi('AgentError'),
    ),
    maxStepsPerRun: count.nullable(),
    stepsTaken: count.openapi({ description: 'Since it was started or resumed' }),
    pausedBy: z.enum(['step_budget', 'asked']).nullable(),
    pauseRequested: z.boolean(),
    version: count.openapi({ description: 'Counts every change' }),
    ownerId: z.string().nullable(),
    requester: z.string(),
    onBehalfOf: z.string().nullable(),
    usage: z
      .object({ calls: count, inputTokens: count, outputTokens: count, costUsd: z.string() })
      .openapi({ description: 'What models were asked for it' }),
    createdAt: time,
    updatedAt: time,
    links: z.object({
      ...{ self: z.string(), pause: z.string(), resume: z.string() },
      ...{ timeline: z.string(), events: z.string(), thread: z.string() },
    }),
  })
  .openapi('AgentRun');
