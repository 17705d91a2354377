import { z } from 'zod';
import { CountersignError } from '../errors';
import { amountBody, externalId, freeText, refundReasons } from '../refund/request';
import { decisionKinds, type DecisionAnswer } from './message';
import { parseAmount } from '../money/decimal';
import { toProviderAmount } from '../money/providerAmounts';
import type { RefundArguments } from '../refund/state';

/** Only what changes. */
export const editedArguments = z.strictObject({
  amount: amountBody.optional(),
  reason: z.enum(refundReasons).optional(),
});

export const decisionId = externalId.max(100);

/** The body of `POST /v1/approvals/{id}/decisions`. */
export const decisionBody = z
  .strictObject({
    decision: z.enum(decisionKinds),
    proposalHash: z.string().regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits'),
    revision: z.int().min(1).optional(),
    arguments: editedArguments.optional(),
    comment: freeText.max(2000).optional(),
    decisionId: decisionId.optional(),
  })
  .superRefine((body, ctx) => {
    if (
      body.decision === 'edit' &&
      (body.arguments === undefined || Object.keys(body.arguments).length === 0)
    ) {
      ctx.addIssue({ code: 'custom', path: ['arguments'], message: 'an edit says what changes' });
    }
    if (body.decision !== 'edit' && body.arguments !== undefined) {
      ctx.addIssue({ code: 'custom', path: ['arguments'], message: 'only an edit has arguments' });
    }
  });
export type DecisionBody = z.infer<typeof decisionBody>;

/** A decision by an authenticated person, as recorded. No free text: comments stay in PostgreSQL. */
export const decisionEnvelope = z.strictObject({
  tenant: z.string().min(1).max(40),
  runId: z.string().min(1).max(64),
  approvalId: z.string().min(1).max(64),
  decisionId,
  decision: z.enum(decisionKinds),
  proposalHash: z.string().max(64),
  revision: z.int().min(1).optional(),
  arguments: editedArguments.optional(),
  actor: externalId,
  /** ms since the epoch: when the API, or the signing channel, received it. */
  receivedAt: z.int().min(0),
});
export type DecisionEnvelope = z.infer<typeof decisionEnvelope>;

/** Two decisions with one id are the same when this is: all but when and over which channel they came. */
export function decisionContent(envelope: DecisionEnvelope): string {
  const { approvalId, decision, proposalHash, arguments: edit, actor } = envelope;
  return JSON.stringify([
    approvalId,
    decision,
    proposalHash,
    edit?.amount?.value,
    edit?.amount?.currency,
    edit?.reason,
    actor,
  ]);
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
