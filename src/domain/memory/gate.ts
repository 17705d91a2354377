import { z } from 'zod';
import { isSameIdentity } from '../access/identity';
import { groups } from '../people';
import type { Ask, Verdict } from '../policy/authorization';
import { neverRemembered } from '../screening/finding';
import { refusedKinds, screenText } from '../screening/screen';
import { claimsAuthority, givesInstructions } from './authority';
import { candidateSchema, type MemoryCandidate } from './candidate';
import { leastBelieved, fades } from './decay';
import type { CandidateFacts } from './facts';
import { isRefundOutcome } from './refundOutcome';

/** The rules below; the tenant's own policy has its version beside it. */
export const gateVersion = 'memory-gate/3';

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
  'origin.operator': 'What an administrator says of somebody waits for another administrator.',
  'origin.claimed_explicit': 'It is said to come from the user, but comes from somewhere else.',
  'origin.inferred': 'Nobody asked for this to be remembered.',
  'origin.unsure': 'It is too unsure to be believed.',
  'origin.not_permitted': 'Nothing permits this source to be remembered here.',
  'source.quarantined': 'It was learnt from a source that is in quarantine.',
  'source.revoked': 'It was learnt from a source of which everything was revoked.',
  'key.reserved': 'Keys under refund/ belong to the refund workflow.',
  'conflict.outranked': 'What is remembered comes from a stronger source.',
  'policy.forbids': "The tenant's policy forbids it.",
  'policy.error': "The tenant's policy can't be evaluated, and what can't be evaluated is not allowed.",
  'review.approved': 'An administrator approved it.',
  'allow.policy': "The tenant's policy permits it.",
} as const;
export type GateRule = keyof typeof reasons;

const actorSchema = z.strictObject({
  tenant: z.string().min(1),
  id: z.string().min(1),
  kind: z.enum(['person', 'service', 'agent', 'workflow']),
  groups: z.array(z.string()).readonly().optional(),
  /** The human for whom a service or an agent proposes. */
  onBehalfOf: z.string().min(1).optional(),
});

/** Who proposes, as a credential or the running workflow proves it; never what the candidate says of itself. */
export type MemoryActor = Readonly<z.infer<typeof actorSchema>>;

const contextSchema = z.strictObject({ actor: actorSchema });
export type GateContext = Readonly<z.infer<typeof contextSchema>>;

/** The tenant's policy in force. */
export interface GatePolicy {
  readonly version: string;
  readonly ask: Ask;
}

export interface Screened {
  readonly candidate: MemoryCandidate;
  readonly personal: boolean;
}

export interface Judgement {
  readonly allowed: boolean;
  /** Every rule that refuses, or what makes it wait or allows it; those of the tenant's policy as `policy:<id>`. */
  readonly ruleIds: readonly string[];
  readonly policyVersion: string;
  readonly reason: string;
  /** Only when allowed: what may be written. */
  readonly write?: Screened;
  /** Only when a person must decide first. */
  readonly wait?: Screened;
}

/**
 * The gate of memory (R42, R43). First the rules that no policy can lift: form, scope, content, where it comes from.
 * Then the tenant's policy: what it lets be remembered is written, what it lets be suggested waits for a person, and
 * everything else is refused, also where the policy fails. A rule of procedure, and what nobody asked for, is never
 * written without a person. Pure.
 */
export function judgeCandidate(candidate: unknown, context: unknown, policy: GatePolicy): Judgement {
  const known = contextSchema.safeParse(context);
  if (!known.success) return refuse(policy, ['context.incomplete']);
  const parsed = candidateSchema.safeParse(candidate);
  if (!parsed.success) return refuse(policy, ['candidate.malformed']);
  const { actor } = known.data;
  const unliftable = [
    ...scopeRefusals(parsed.data, actor),
    ...contentRefusals(parsed.data),
    ...originRefusals(parsed.data, actor),
  ];
  if (unliftable.length > 0) return refuse(policy, unliftable);
  return askPolicy(parsed.data, actor, policy);
}

function askPolicy(candidate: MemoryCandidate, actor: MemoryActor, policy: GatePolicy): Judgement {
  const screened = { candidate, personal: isPersonal(candidate) };
  const who = { ...actor, groups: actor.groups ?? [] };
  const facts = factsOf(candidate, actor);
  const needsPerson: GateRule[] = [
    ...(candidate.kind === 'procedural' ? (['kind.procedural'] as const) : []),
    ...(candidate.source === 'inferred' && !facts.asked ? (['origin.inferred'] as const) : []),
    ...(candidate.source === 'operator' ? (['origin.operator'] as const) : []),
  ];
  if (needsPerson.length === 0) {
    const verdict = policy.ask({ who, action: 'remember', candidate: facts });
    if (verdict.allowed) return { ...verdictOf(policy, true, ['allow.policy'], verdict), write: screened };
    if (verdict.because !== 'no_rule') return refuse(policy, [ruleOf(verdict)], verdict);
  }
  const verdict = policy.ask({ who, action: 'suggest', candidate: facts });
  if (verdict.allowed) return { ...verdictOf(policy, false, needsPerson, verdict), wait: screened };
  if (verdict.because !== 'no_rule') return refuse(policy, [...needsPerson, ruleOf(verdict)], verdict);
  return refuse(policy, needsPerson.length > 0 ? needsPerson : ['origin.not_permitted']);
}

function ruleOf(verdict: Exclude<Verdict, { allowed: true }>): GateRule {
  return verdict.because === 'error' ? 'policy.error' : 'policy.forbids';
}

function scopeRefusals(candidate: MemoryCandidate, actor: MemoryActor): GateRule[] {
  const rules: GateRule[] = [];
  if (candidate.tenantId !== actor.tenant) rules.push('scope.other_tenant');
  if (actor.kind === 'person' && candidate.ownerId !== actor.id && !speaksAsOperator(candidate, actor))
    rules.push('scope.other_owner');
  return rules;
}

function contentRefusals(candidate: MemoryCandidate): GateRule[] {
  const rules: GateRule[] = [];
  const { key, value, evidence, ownerId } = candidate;
  const texts = [value, key, ownerId, ...evidence.map(({ ref }) => ref)];
  if (texts.some((text) => refusedKinds(text, neverRemembered).length > 0)) rules.push('content.sensitive');
  if (claimsAuthority(key, value)) rules.push('content.authority');
  if (givesInstructions(value)) rules.push('content.instructions');
  return rules;
}

function originRefusals(candidate: MemoryCandidate, actor: MemoryActor): GateRule[] {
  const rules: GateRule[] = [];
  const { source, key, value, kind, confidence } = candidate;
  if (source === 'user_explicit' && (!heardUser(actor) || isSecondHand(candidate)))
    rules.push('origin.claimed_explicit');
  if (isPersonal(candidate) && !(isAskedFor(candidate, actor) && source === 'user_explicit'))
    rules.push('content.personal_not_requested');
  if (source === 'operator' && !speaksAsOperator(candidate, actor)) rules.push('origin.not_permitted');
  if (fades(source) && confidence <= leastBelieved) rules.push('origin.unsure');
  if (actor.kind === 'workflow') {
    const isRecord = source === 'tool' && kind === 'episodic' && isRefundOutcome(key, value);
    if (!isRecord) rules.push('origin.not_permitted');
  } else if (/^refund(?:\/|$)/i.test(key)) rules.push('key.reserved');
  return [...new Set(rules)];
}

/** An administrator says of somebody else what is right; only another administrator's approval makes it so. */
export function speaksAsOperator(
  { source, ownerId }: { readonly source: unknown; readonly ownerId: string },
  { kind, id, groups: of = [] }: MemoryActor,
): boolean {
  const isOperator = source === 'operator' && kind === 'person' && of.includes(groups.admins);
  return isOperator && !isSameIdentity(ownerId, id);
}

/** A service vouches for what its user said; a model cannot. */
function heardUser({ kind }: MemoryActor): boolean {
  return kind === 'person' || kind === 'service';
}

function isSecondHand({ evidence }: MemoryCandidate): boolean {
  return evidence.some(({ kind }) => kind === 'tool' || kind === 'document' || kind === 'memory');
}

function isAskedFor(candidate: MemoryCandidate, actor: MemoryActor): boolean {
  return heardUser(actor) && candidate.explicitUserRequest && !isSecondHand(candidate);
}

function isPersonal(candidate: MemoryCandidate): boolean {
  return screenText(candidate.value).some(({ kind }) => kind === 'personal');
}

/** What policy is told of a candidate. */
export function factsOf(candidate: MemoryCandidate, actor: MemoryActor): CandidateFacts {
  const { tenantId, ownerId, kind, source, key, confidence, evidence } = candidate;
  return {
    tenant: tenantId,
    owner: ownerId,
    kind,
    source,
    key,
    confidence,
    personal: isPersonal(candidate),
    asked: isAskedFor(candidate, actor),
    evidence: evidence.map((item) => item.kind),
    proposer: actor.id,
  };
}

/**
 * Judges again what an administrator has approved: rules and screening may be stricter by now. Written as the
 * operator's own, which he answers for.
 */
export function judgeApproved(candidate: MemoryCandidate, policy: GatePolicy): Judgement {
  const content = contentRefusals(candidate);
  if (content.length > 0) return refuse(policy, content);
  const write = {
    candidate: { ...candidate, source: 'operator', confidence: 1 },
    personal: isPersonal(candidate),
  } as const;
  return { ...verdictOf(policy, true, ['review.approved']), write };
}

/** A refusal by a rule that only the store can judge: what else is remembered, and which sources are held. */
export function refusedBy(
  rule: 'conflict.outranked' | 'source.quarantined' | 'source.revoked',
  { policyVersion }: Judgement,
): Judgement {
  return { allowed: false, ruleIds: [rule], policyVersion, reason: reasons[rule] };
}

function refuse(policy: GatePolicy, rules: readonly GateRule[], verdict?: Verdict): Judgement {
  return verdictOf(policy, false, rules, verdict);
}

function verdictOf(
  { version }: GatePolicy,
  allowed: boolean,
  rules: readonly GateRule[],
  verdict?: Verdict,
): Judgement {
  const ofPolicy = verdict && 'ruleIds' in verdict ? verdict.ruleIds.map((id) => `policy:${id}`) : [];
  return {
    allowed,
    ruleIds: [...rules, ...ofPolicy],
    policyVersion: `${gateVersion}+${version}`,
    reason: rules.length > 0 ? rules.map((rule) => reasons[rule]).join(' ') : 'A person must decide.',
  };
}
