import { z } from 'zod';
import { neverRemembered } from '../screening/finding';
import { refusedKinds, screenText } from '../screening/screen';
import { claimsAuthority, givesInstructions } from './authority';
import { candidateSchema, type MemoryCandidate } from './candidate';
import { isRefundOutcome } from './refundOutcome';

export const gatePolicyVersion = 'memory-gate/1';

/** Fixed texts: a reason never quotes what was proposed (R44). */
const reasons = {
  'context.incomplete': 'It is not known who proposes this.',
  'candidate.malformed': 'A field is missing, unknown or not of its form.',
  'scope.other_tenant': 'The candidate names another tenant than its proposer belongs to.',
  'scope.other_owner': 'A person proposes memories about nobody else.',
  'content.sensitive':
    'It holds a card or account number, an identity number, a secret or something about health.',
  'content.authority': 'It claims a role, an approval or an exemption from review.',
  'content.instructions': 'It gives instructions to a model.',
  'content.personal_not_requested':
    'A phone number or address is remembered only when its owner asks for that.',
  'kind.procedural': 'A rule of procedure waits for an administrator.',
  'origin.claimed_explicit': 'It is said to come from the user, but comes from somewhere else.',
  'origin.inferred': 'Nobody asked for this to be remembered.',
  'origin.not_permitted': 'Nothing permits this source to be remembered here.',
  'key.reserved': 'Keys under refund/ belong to the refund workflow.',
  'conflict.outranked': 'What is remembered comes from a stronger source.',
  'allow.explicit': 'Its owner said so.',
  'allow.requested_inference': 'Its owner asked for it to be remembered.',
  'allow.refund_outcome': 'The record of a finished refund.',
} as const;
export type GateRule = keyof typeof reasons;

const actorSchema = z.strictObject({
  tenant: z.string().min(1),
  id: z.string().min(1),
  kind: z.enum(['person', 'service', 'agent', 'workflow']),
});

/** Who proposes, as a credential or the running workflow proves it; never what the candidate says of itself. */
export type MemoryActor = Readonly<z.infer<typeof actorSchema>>;

const contextSchema = z.strictObject({ actor: actorSchema });
export type GateContext = Readonly<z.infer<typeof contextSchema>>;

export interface Judgement {
  readonly allowed: boolean;
  /** Every rule that refuses, or the one that allows. */
  readonly ruleIds: readonly string[];
  readonly policyVersion: string;
  readonly reason: string;
  /** Only when allowed: what may be written, and whether it is personal data. */
  readonly write?: { readonly candidate: MemoryCandidate; readonly personal: boolean };
}

/**
 * The whole policy on what may be remembered (R42, R43). Refuses whatever nothing permits: a malformed candidate,
 * an unknown field, a missing attribute of the context.
 */
export function judgeCandidate(candidate: unknown, context: unknown): Judgement {
  const known = contextSchema.safeParse(context);
  if (!known.success) return refuse(['context.incomplete']);
  const parsed = candidateSchema.safeParse(candidate);
  if (!parsed.success) return refuse(['candidate.malformed']);

  const { actor } = known.data;
  const refusals = [
    ...scopeRefusals(parsed.data, actor),
    ...contentRefusals(parsed.data),
    ...originRefusals(parsed.data, actor),
  ];
  if (refusals.length > 0) return refuse(refusals);
  const permission = permissionFor(parsed.data, actor);
  if (permission === undefined) return refuse(['origin.not_permitted']);
  return {
    ...verdict(true, [permission]),
    write: { candidate: parsed.data, personal: isPersonal(parsed.data) },
  };
}

function scopeRefusals(candidate: MemoryCandidate, actor: MemoryActor): GateRule[] {
  const rules: GateRule[] = [];
  if (candidate.tenantId !== actor.tenant) rules.push('scope.other_tenant');
  if (actor.kind === 'person' && candidate.ownerId !== actor.id) rules.push('scope.other_owner');
  return rules;
}

function contentRefusals(candidate: MemoryCandidate): GateRule[] {
  const rules: GateRule[] = [];
  const { key, value, evidence, ownerId } = candidate;
  const texts = [value, key, ownerId, ...evidence.map(({ ref }) => ref)];
  if (texts.some((text) => refusedKinds(text, neverRemembered).length > 0)) rules.push('content.sensitive');
  if (claimsAuthority(key, value)) rules.push('content.authority');
  if (givesInstructions(value)) rules.push('content.instructions');
  if (candidate.kind === 'procedural') rules.push('kind.procedural');
  return rules;
}

function originRefusals(candidate: MemoryCandidate, actor: MemoryActor): GateRule[] {
  const rules: GateRule[] = [];
  // A service vouches for what its user said; a model cannot.
  const heardUser = actor.kind === 'person' || actor.kind === 'service';
  const secondHand = candidate.evidence.some(
    ({ kind }) => kind === 'tool' || kind === 'document' || kind === 'memory',
  );
  const asked = heardUser && candidate.explicitUserRequest && !secondHand;
  if (candidate.source === 'user_explicit' && (!heardUser || secondHand))
    rules.push('origin.claimed_explicit');
  if (candidate.source === 'inferred' && !asked) rules.push('origin.inferred');
  if (isPersonal(candidate) && !(asked && candidate.source === 'user_explicit')) {
    rules.push('content.personal_not_requested');
  }
  if (actor.kind !== 'workflow' && /^refund(?:\/|$)/i.test(candidate.key)) rules.push('key.reserved');
  return rules;
}

function permissionFor(candidate: MemoryCandidate, actor: MemoryActor): GateRule | undefined {
  const { source, kind, key, value } = candidate;
  if (actor.kind === 'workflow') {
    const isRecord = source === 'tool' && kind === 'episodic' && isRefundOutcome(key, value);
    return isRecord ? 'allow.refund_outcome' : undefined;
  }
  if (source === 'user_explicit') return 'allow.explicit';
  if (source === 'inferred') return 'allow.requested_inference';
  return undefined;
}

function isPersonal(candidate: MemoryCandidate): boolean {
  return screenText(candidate.value).some(({ kind }) => kind === 'personal');
}

/** The answer to an allowed candidate that would replace what comes from a stronger source (R47). */
export const outranked: Judgement = verdict(false, ['conflict.outranked']);

function refuse(rules: readonly GateRule[]): Judgement {
  return verdict(false, rules);
}

function verdict(allowed: boolean, rules: readonly GateRule[]): Judgement {
  const reason = rules.map((rule) => reasons[rule]).join(' ');
  return { allowed, ruleIds: rules, policyVersion: gatePolicyVersion, reason };
}
