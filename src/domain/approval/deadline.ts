import type { ApprovalState } from './state';

const hourMs = 3_600_000;
const defaultOutageMinutes = 5;

/** How much later than policy's ladder says reminders are due, because questions stop or have stopped the clock, ms. */
export function pausedMs({ pause }: ApprovalState): number {
  return pause ? pause.usedMs + (pause.grantedMs ?? 0) : 0;
}

/** A question was asked. All that policy still allows goes into the deadline at once, so that it is always the true one. */
export function stopClock(approval: ApprovalState, at: number): ApprovalState {
  const { pause = { usedMs: 0 }, policy, deadline } = approval;
  const grantedMs = (policy.infoPauseHours ?? 0) * hourMs - pause.usedMs;
  if (pause.since !== undefined || grantedMs <= 0) return approval;
  return { ...approval, deadline: deadline + grantedMs, pause: { ...pause, since: at, grantedMs } };
}

/** Nothing waits for an answer any more: what was not used of the pause comes off the deadline again. */
export function restartClock(approval: ApprovalState, at: number): ApprovalState {
  const { pause, deadline } = approval;
  if (pause?.since === undefined || pause.grantedMs === undefined) return approval;
  const used = Math.min(Math.max(at - pause.since, 0), pause.grantedMs);
  return {
    ...approval,
    deadline: deadline - (pause.grantedMs - used),
    pause: { usedMs: pause.usedMs + used },
  };
}

/**
 * Something that was due at `due` is only handled `now`: was it an outage, and does policy leave people time after one?
 * Once for an approval. Times in ms since the epoch, both by the workflow's clock.
 */
export function deservesGrace(approval: ApprovalState, due: number, now: number): boolean {
  const { graceAfterOutageHours, outageAfterMinutes = defaultOutageMinutes } = approval.policy;
  if (graceAfterOutageHours === undefined || approval.grace || approval.status !== 'open') return false;
  return now - due >= outageAfterMinutes * 60_000 && approval.deadline < now + graceAfterOutageHours * hourMs;
}

/** The deadline is policy's grace from now on, instead of what the outage has left. */
export function grantGrace(approval: ApprovalState, now: number): ApprovalState {
  const { policy, deadline } = approval;
  return {
    ...approval,
    deadline: Math.max(deadline, now + (policy.graceAfterOutageHours ?? 0) * hourMs),
    grace: { before: deadline, at: now },
  };
}
