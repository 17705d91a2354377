import type { Chosen } from '../../application/reviewChosen';
import { togetherKinds, type TogetherKind } from '../../domain/approval/manyDecisions';
import { CountersignError } from '../../domain/errors';
import type { Typed } from '../context';
import { textOf } from '../forms';
import { askedHere, type Asked } from './listRoutes';

/** The revisions that were ticked, each once, as the boxes name them; what is no box of ours is not chosen. */
export function chosenOf({ chosen = '' }: Typed): Chosen[] {
  return [...new Set(chosen.split(' '))].flatMap((box) => {
    const [, approvalId, proposalHash] = /^([!-~]{1,128})\.([0-9a-f]{64})$/.exec(box) ?? [];
    return approvalId === undefined || proposalHash === undefined ? [] : [{ approvalId, proposalHash }];
  });
}

export function boxOf({ approvalId, proposalHash }: Chosen): string {
  return `${approvalId}.${proposalHash}`;
}

/** @throws CountersignError invalid_request */
export function kindOf({ decision }: Typed): TogetherKind {
  const kind = togetherKinds.find((known) => known === decision);
  if (kind) return kind;
  throw new CountersignError('invalid_request', 'many approvals are approved or rejected together');
}

/** What the list asked for on which they were chosen. */
export function askedBefore({ query = '' }: Typed): Asked {
  return askedHere(Object.fromEntries(new URLSearchParams(query)));
}

/** The decision about those that can be decided, as the page before has shown them. */
export function manyDecisionsOf(typed: Typed): Record<string, unknown> {
  const decision = kindOf(typed);
  const comment = textOf(typed, 'comment');
  return {
    decision,
    items: chosenOf(typed),
    ...(comment === '' ? {} : { comment }),
    ...(decision === 'reject' && typed['reasonCode'] ? { reasonCode: typed['reasonCode'] } : {}),
  };
}
