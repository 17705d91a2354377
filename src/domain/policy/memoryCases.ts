import { z } from 'zod';
import { checkAdministrator } from '../access/separation';
import { CountersignError } from '../errors';
import { candidateSchema, type MemoryCandidate } from '../memory/candidate';
import { evidenceKinds } from '../memory/evidence';
import type { MemoryAsker, MemoryFacts } from '../memory/facts';
import { judgeCandidate, type GatePolicy } from '../memory/gate';
import { refundOutcomeCandidate } from '../memory/refundOutcome';
import { checkReviewable } from '../memory/review';
import { refuseUnlessPermitted } from './authorization';

/** `remember`: it is written at once; `suggest`: it is kept until an administrator has decided. */
export const memoryActions = ['remember', 'suggest', 'review_memory', 'forget'] as const;
export type MemoryAction = (typeof memoryActions)[number];

const { ownerId, kind, source, key, confidence } = candidateSchema.shape;

/**
 * What it is about. What isn't said is as usual: something about a customer, or about the person himself who wants it,
 * that its owner stated and asked for, and nothing personal; of a workflow, the outcome of a refund.
 */
export const memoryInCase = z.strictObject({
  owner: ownerId.optional(),
  kind: kind.optional(),
  source: source.optional(),
  key: key.optional(),
  personal: z.boolean().optional(),
  asked: z.boolean().optional(),
  confidence: confidence.optional(),
  /** Kinds of what it was learnt from. */
  evidence: z.array(z.enum(evidenceKinds)).max(10).optional(),
  /** Who proposed what is reviewed; a service unless somebody is named. */
  proposer: ownerId.optional(),
});
export type MemoryInCase = z.infer<typeof memoryInCase>;

const ofCandidates: Readonly<Record<MemoryAction, readonly (keyof MemoryInCase)[]>> = {
  remember: ['asked', 'confidence', 'evidence'],
  suggest: ['asked', 'confidence', 'evidence'],
  review_memory: ['confidence', 'evidence', 'proposer'],
  forget: [],
};

/** @returns what a case says of a memory and nobody asks where that is done */
export function besideThePoint(does: MemoryAction, memory: MemoryInCase = {}): string | undefined {
  const asked: readonly string[] = ['owner', 'kind', 'source', 'key', 'personal', ...ofCandidates[does]];
  return Object.keys(memory).find((name) => !asked.includes(name));
}

/**
 * What comes of it under this policy. As it really is, the gate of memory stands before what is remembered, and only an
 * administrator reviews, and nothing of his own.
 * @throws CountersignError forbidden, separation_of_duties, or the code of a rule that forbids
 */
export function tryOnMemory(
  policy: GatePolicy,
  does: MemoryAction,
  who: MemoryAsker,
  memory: MemoryInCase = {},
): void {
  const { tenant, id } = who;
  const otherwise = `no rule permits ${id} to ${does}`;
  const usual = candidateOf(does, who, memory);
  const { ownerId: owner, evidence } = usual;
  const facts: MemoryFacts = {
    ...{ tenant, owner, kind: usual.kind, source: usual.source, key: usual.key },
    personal: memory.personal ?? false,
  };
  if (does === 'forget')
    return refuseUnlessPermitted(policy.ask({ who, action: does, memory: facts }), otherwise);
  if (does === 'review_memory') {
    checkAdministrator(who.kind === 'workflow' ? undefined : { ...who, kind: who.kind });
    const proposer = memory.proposer ?? 'service';
    const kinds = evidence.map((item) => item.kind);
    const candidate = { ...facts, asked: false, confidence: usual.confidence, evidence: kinds, proposer };
    refuseUnlessPermitted(policy.ask({ who, action: does, candidate }), otherwise);
    return checkReviewable(waiting(owner, proposer), who, '', 0);
  }
  const judgement = judgeCandidate(usual, { actor: { ...who, groups: [...who.groups] } }, policy);
  const came = does === 'remember' ? judgement.write : judgement.wait;
  if (!came) throw new CountersignError('forbidden', insteadOf(does, judgement));
}

function insteadOf(does: MemoryAction, { write, wait, reason }: ReturnType<typeof judgeCandidate>): string {
  if (does === 'remember' && wait) return `it is kept until an administrator has decided: ${reason}`;
  return write ? 'it is remembered at once' : reason;
}

function candidateOf(does: MemoryAction, who: MemoryAsker, said: MemoryInCase): MemoryCandidate {
  const own = who.kind === 'person' && does !== 'review_memory';
  const owner = said.owner ?? (own ? who.id : 'customer');
  const usual = who.kind === 'workflow' ? outcomeOf(who.tenant, owner) : statementOf(who.tenant, owner);
  return {
    ...usual,
    kind: said.kind ?? usual.kind,
    source: said.source ?? usual.source,
    key: said.key ?? usual.key,
    value: said.personal ? 'Write to someone@example.com.' : usual.value,
    explicitUserRequest: said.asked ?? usual.explicitUserRequest,
    confidence: said.confidence ?? 1,
    evidence: said.evidence?.map((of) => ({ kind: of, ref: 'example' })) ?? usual.evidence,
  };
}

function outcomeOf(tenant: string, owner: string): MemoryCandidate {
  const amount = { minor: 100, currency: 'USD' };
  const outcome = { runId: 'run_example', outcome: 'completed', amount, reason: 'damaged' } as const;
  return refundOutcomeCandidate(tenant, owner, outcome);
}

function statementOf(tenantId: string, owner: string): MemoryCandidate {
  return {
    ...{ tenantId, ownerId: owner, key: 'preference/language', value: 'Answer in English.' },
    ...{ kind: 'semantic', source: 'user_explicit', explicitUserRequest: true, confidence: 1, evidence: [] },
  };
}

function waiting(owner: string, proposedBy: string): Parameters<typeof checkReviewable>[0] {
  return {
    ...{ owner, proposedBy, proposedFor: null, proposalHash: '' },
    ...{ status: 'waiting', deadline: 1, decidedBy: null },
  };
}
