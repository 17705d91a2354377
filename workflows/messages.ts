import { ApplicationFailure, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { DecisionAnswer } from '../src/domain/approval/message';
import { signalNames, updateNames } from '../src/domain/contract';
import { CountersignError } from '../src/domain/errors';

export const decide = defineUpdate<DecisionAnswer, [unknown]>(updateNames.decide);
export const cancel = defineUpdate<DecisionAnswer, [{ actor: string }]>(updateNames.cancel);
export const approvalSignal = defineSignal<[unknown]>(signalNames.approval);
export const review = defineUpdate<DecisionAnswer, [unknown]>(updateNames.review);
export const reviewSignal = defineSignal<[unknown]>(signalNames.reviewOrdered);
export const providerSignal = defineSignal(signalNames.providerChanged);
export const cancelSignal = defineSignal<[unknown]>(signalNames.cancelRequested);

/** What a signal carries, as a decision; undefined for what can't be one. */
export function signed(payload: unknown): unknown {
  if (typeof payload === 'string') return { kind: 'signed', jws: payload };
  if (typeof payload === 'object' && payload !== null && 'jws' in payload)
    return { kind: 'signed', jws: payload.jws };
  return undefined;
}

export function isOrder(order: unknown): order is { orderId: string } {
  return (
    typeof order === 'object' && order !== null && 'orderId' in order && typeof order.orderId === 'string'
  );
}

export function isActor(request: unknown): request is { actor: string } {
  return (
    typeof request === 'object' &&
    request !== null &&
    'actor' in request &&
    typeof request.actor === 'string' &&
    /^[!-~]{1,128}$/.test(request.actor)
  );
}

/** Runs in a validator: what it refuses is the failure of the update, with its code. */
export function refuseWithFailure(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    throw ApplicationFailure.nonRetryable(error.detail, error.code, error.details);
  }
}
