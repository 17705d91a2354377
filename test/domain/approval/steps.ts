import type { DecisionEnvelope } from '../../../src/domain/approval/decision';
import type { DecisionKind } from '../../../src/domain/approval/message';
import type { ApprovalState } from '../../../src/domain/approval/state';
import { CountersignError } from '../../../src/domain/errors';
import { conclude, decision, openApproval, type Somebody } from './approvalFixture';

export const hourMs = 3_600_000;
export const minuteMs = 60_000;

/** [who, what, more]: `at` in ms after the approval was opened. */
export type Step = readonly [Somebody, DecisionKind, (Partial<DecisionEnvelope> & { at?: number })?];

export function take(approval: ApprovalState, [who, kind, { at = 1, ...more } = {}]: Step): ApprovalState {
  const named = kind === 'edit' && !more.arguments ? { arguments: lower } : {};
  const receivedAt = approval.openedAt + at;
  return conclude(approval, who, decision(approval, who, kind, { ...named, ...more, receivedAt }));
}

const lower = { amount: { value: '10.00', currency: 'USD' } };
export const after = (approval: ApprovalState, ...steps: Step[]): ApprovalState =>
  steps.reduce(take, approval);

/** The state that is reached, or the code of the refusal of the last step; every step before it must be accepted. */
export function outcome(approval: ApprovalState, steps: readonly Step[]): string {
  const reached = after(approval, ...steps.slice(0, -1));
  const frozen = JSON.stringify(reached);
  try {
    return take(reached, steps.at(-1)!).status;
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    expect(JSON.stringify(reached)).toBe(frozen);
    return error.code;
  }
}

export const two = openApproval(60_000);
export const one = openApproval(12_000);
export const withPolicy = (
  more: Partial<ApprovalState['policy']>,
  approval: ApprovalState = two,
): ApprovalState => ({
  ...approval,
  policy: { ...approval.policy, ...more },
});
