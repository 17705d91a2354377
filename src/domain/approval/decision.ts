import { z } from 'zod';
import { CountersignError } from '../errors';
import { amountBody, externalId, freeText, onBehalfOf, refundReasons } from '../refund/request';
import { versionRead } from '../version';
import { decisionKinds, isSpoken, spokenKinds, type DecisionAnswer, type DecisionKind } from './message';
import { rejectReasons } from './state';
import { parseAmount } from '../money/decimal';
import { toProviderAmount } from '../money/providerAmounts';
import type { RefundArguments } from '../refund/state';

/** Only what changes. */
export const editedArguments = z.strictObject({
  amount: amountBody.optional(),
  reason: z.enum(refundReasons).optional(),
});

export const decisionId = externalId.max(100);

export const proposalHash = z.string().regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits');

/** What is said with a decision. */
export const decisionComment = freeText.max(2000);

const policyVersion = freeText.min(1).max(64);
/** As the approval's `evidence` names them. */
const evidenceSeen = z.array(externalId).max(50);

/** The body of `POST /v1/approvals/{id}/decisions`. */
export const decisionBody = z
  .strictObject({
    decision: z.enum(decisionKinds),
    proposalHash,
    revision: versionRead.optional(),
    policyVersion: policyVersion.optional(),
    arguments: editedArguments.optional(),
    comment: decisionComment.optional(),
    decisionId: decisionId.optional(),
    reasonCode: z.enum(rejectReasons).optional(),
    to: externalId.optional(),
    questionId: decisionId.optional(),
    evidenceSeen: evidenceSeen.optional(),
    onBehalfOf: onBehalfOf.optional(),
  })
  .superRefine((body, ctx) => {
    const issue = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message });
    for (const [field, kinds, needed] of fieldsOfKinds) {
      const fits = kinds.includes(body.decision);
      if (!fits && body[field] !== undefined) issue(field, `only ${kinds.join(' or ')} has ${field}`);
      if (fits && body[field] === undefined && needed !== undefined) issue(field, needed);
    }
    if (body.decision === 'edit' && body.arguments && Object.keys(body.arguments).length === 0) {
      issue('arguments', 'an edit says what changes');
    }
    if (isSpoken(body.decision) && !body.comment?.trim()) {
      issue('comment', `${spokenKinds.join(', ')}: what is said stands in the comment`);
    }
  });

/** Which kinds take a field, and what to say where they don't have one that they need. */
const fieldsOfKinds: readonly (readonly [
  'arguments' | 'to' | 'questionId' | 'reasonCode' | 'onBehalfOf',
  readonly DecisionKind[],
  string?,
])[] = [
  ['arguments', ['edit'], 'an edit says what changes'],
  ['to', ['delegate'], 'a delegation says to whom'],
  ['questionId', ['answer_info']],
  ['onBehalfOf', ['answer_info', 'comment']],
  ['reasonCode', ['reject']],
];
export type DecisionBody = z.infer<typeof decisionBody>;

/** A decision by an authenticated person, as recorded. No free text: comments stay in PostgreSQL. */
export const decisionEnvelope = z.strictObject({
  tenant: z.string().min(1).max(40),
  runId: z.string().min(1).max(64),
  approvalId: z.string().min(1).max(64),
  decisionId,
  decision: z.enum(decisionKinds),
  proposalHash: z.string().max(64),
  revision: versionRead.optional(),
  policyVersion: policyVersion.optional(),
  arguments: editedArguments.optional(),
  reasonCode: z.enum(rejectReasons).optional(),
  /** The person who is given a say. */
  to: externalId.optional(),
  /** The decision that asked what this one answers. */
  questionId: decisionId.optional(),
  /** What the door had shown, by the ids of the approval's `evidence`. */
  evidenceSeen: evidenceSeen.optional(),
  /** SHA-256 of the comment, in hexadecimal digits, where the decision is nothing without it. */
  commentHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  actor: externalId,
  /** The human for whom a service or an agent answers; one spelling. */
  onBehalfOf: externalId.optional(),
  /** ms since the epoch: when the API, or the signing channel, received it. */
  receivedAt: z.int().min(0),
});
export type DecisionEnvelope = z.infer<typeof decisionEnvelope>;

/** Two decisions with one id are the same when this is: all but when and over which channel they came. */
export function decisionContent(envelope: DecisionEnvelope): string {
  const { approvalId, decision, proposalHash, arguments: edit, actor } = envelope;
  const { to, questionId, reasonCode, commentHash, onBehalfOf } = envelope;
  const more = [to, questionId, reasonCode, commentHash];
  return JSON.stringify([
    approvalId,
    decision,
    proposalHash,
    edit?.amount?.value,
    edit?.amount?.currency,
    edit?.reason,
    actor,
    // Decisions of 0.1 have none of these, and stay what they were.
    ...(more.some((part) => part !== undefined) ? more : []),
    ...(onBehalfOf === undefined ? [] : [onBehalfOf]),
  ]);
}

/** For whom it is said, where a service or an agent says it. */
export function spokenIn({ onBehalfOf }: DecisionEnvelope): { readonly onBehalfOf?: string } {
  return onBehalfOf === undefined ? {} : { onBehalfOf };
}

export function refusal(error: CountersignError): DecisionAnswer {
  return { accepted: false, code: error.code, detail: error.detail, details: error.details };
}

/**
 * The arguments that an edit asks for. The currency can't change.
 * @throws CountersignError currency_mismatch, amount_* (also one that the provider can't move), edit_changes_nothing
 */
export function applyEdit(current: RefundArguments, edit: z.infer<typeof editedArguments>): RefundArguments {
  const next: RefundArguments = {
    amount: edit.amount === undefined ? current.amount : editedAmount(current, edit.amount),
    reason: edit.reason ?? current.reason,
  };
  if (next.amount.minor === current.amount.minor && next.reason === current.reason) {
    throw new CountersignError('edit_changes_nothing');
  }
  return next;
}

function editedAmount(current: RefundArguments, edit: z.infer<typeof amountBody>): RefundArguments['amount'] {
  if (edit.currency !== current.amount.currency) {
    throw new CountersignError('currency_mismatch', `the payment is in ${current.amount.currency}`);
  }
  const amount = parseAmount(edit.value, edit.currency, { allowWithdrawn: true });
  toProviderAmount(amount);
  return amount;
}
