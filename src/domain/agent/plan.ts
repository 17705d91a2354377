import { z } from 'zod';
import { CountersignError } from '../errors';
import type { AgentStep, AgentStepType } from './state';

const limit = z.int().min(1).max(20);

const plain = <Type extends AgentStepType>(type: Type) => z.strictObject({ type: z.literal(type) });

/** One step of a plan; what it works on stands in the conversation, so a plan holds no free text. */
const agentStep = z.discriminatedUnion('type', [
  plain('look_up_order'),
  plain('gather_evidence'),
  z.strictObject({ type: z.literal('recall_memory'), limit }),
  z.strictObject({ type: z.literal('search_knowledge'), limit }),
  plain('draft_refund'),
  plain('propose_refund'),
  plain('await_refund'),
  plain('notify'),
]);

export const agentPlan = z.array(agentStep).min(1).max(12);

/** What has to come before; a draft without evidence or policy is a draft that nobody can check. */
const needs: Partial<Record<AgentStepType, readonly AgentStepType[]>> = {
  draft_refund: ['look_up_order', 'gather_evidence', 'search_knowledge'],
  propose_refund: ['draft_refund'],
  await_refund: ['propose_refund'],
};

/**
 * A plan that somebody else made, as one that may run. Its ids are given here: an id stands in keys and histories for good, so it is
 * nobody's words.
 * @throws CountersignError agent_plan_invalid
 */
export function readPlan(value: unknown): AgentStep[] {
  const parsed = agentPlan.safeParse(value);
  if (!parsed.success) throw new CountersignError('agent_plan_invalid');
  const before = new Set<AgentStepType>();
  for (const { type } of parsed.data) {
    const missing = (needs[type] ?? []).find((needed) => !before.has(needed));
    if (missing) throw new CountersignError('agent_plan_invalid', `${type} comes after ${missing}`);
    if (before.has(type)) throw new CountersignError('agent_plan_invalid', `${type} is taken once`);
    before.add(type);
  }
  return parsed.data.map((step) => ({ id: step.type, ...step }));
}

/** How a customer's wish for his money is handled, when no model says otherwise. */
export const standardPlan: readonly AgentStep[] = [
  { id: 'look_up_order', type: 'look_up_order' },
  { id: 'gather_evidence', type: 'gather_evidence' },
  { id: 'recall_memory', type: 'recall_memory', limit: 5 },
  { id: 'search_knowledge', type: 'search_knowledge', limit: 5 },
  { id: 'draft_refund', type: 'draft_refund' },
  { id: 'propose_refund', type: 'propose_refund' },
  { id: 'await_refund', type: 'await_refund' },
  { id: 'notify', type: 'notify' },
];
