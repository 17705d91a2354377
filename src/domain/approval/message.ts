import type { ErrorCode } from '../errors';

export const decisionKinds = [
  'approve',
  'edit',
  'reject',
  'request_info',
  'answer_info',
  'escalate',
  'delegate',
  'claim',
  'release',
  'withdraw',
  'comment',
] as const;
export type DecisionKind = (typeof decisionKinds)[number];

/** These are nothing without their text. It stays in PostgreSQL: no message and no history carries it. */
export const spokenKinds = ['request_info', 'answer_info', 'comment'] as const;

export function isSpoken(kind: DecisionKind): boolean {
  return (spokenKinds as readonly DecisionKind[]).includes(kind);
}

/** What the workflow is told: either a decision that is on record, or one that carries its own proof. */
export type DecisionMessage =
  | {
      readonly kind: 'recorded';
      readonly approvalId: string;
      readonly decisionId: string;
      readonly decision: DecisionKind;
      readonly proposalHash: string;
    }
  | { readonly kind: 'signed'; readonly jws: string };

/** The explicit answer to a decision, also when it is refused. */
export interface DecisionAnswer {
  readonly accepted: boolean;
  readonly code?: ErrorCode;
  readonly detail?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

const longestJws = 8192;

/**
 * The message that an update or a signal brought, or undefined for anything else. Written out instead of a schema: it
 * runs inside the workflow, where building schemas costs every run more than everything else that it computes.
 */
export function readDecisionMessage(message: unknown): DecisionMessage | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { kind, ...rest } = message as Record<string, unknown>;
  if (kind === 'signed') {
    const { jws, ...more } = rest;
    return isText(jws, longestJws) && isEmpty(more) ? { kind, jws } : undefined;
  }
  if (kind !== 'recorded') return undefined;
  const { approvalId, decisionId, decision, proposalHash, ...more } = rest;
  const known = decisionKinds.find((name) => name === decision);
  if (!known || !isEmpty(more)) return undefined;
  if (!isText(approvalId, 64) || !isText(decisionId, 100) || !isText(proposalHash, 64)) return undefined;
  return { kind, approvalId, decisionId, decision: known, proposalHash };
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest;
}

function isEmpty(rest: object): boolean {
  return Object.keys(rest).length === 0;
}
