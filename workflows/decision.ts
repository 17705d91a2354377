import { patched } from '@temporalio/workflow';
import { deservesGrace, pausedMs } from '../src/domain/approval/deadline';
import { quick, durably } from './steps';
import { isCancelled } from './cancels';
import type { Desk } from './desk';
import { isLong, startAnew } from './longRun';

const hourMs = 3_600_000;

export type Decided = 'approved' | 'rejected' | 'expired' | 'cancelled';

/** Waits, for days if need be, until the approval is decided, cancelled, or past its deadline. */
export async function awaitDecision(desk: Desk): Promise<Decided> {
  for (;;) {
    const pending = desk.next();
    if (pending) {
      await applyNext(desk, pending);
      continue;
    }
    const { approval } = desk;
    if (!approval) throw new RangeError('there is no approval to wait for');
    if (approval.status === 'approved' || approval.status === 'rejected') return approval.status;
    if (desk.cancels.first !== undefined && (await isCancelled(desk))) return 'cancelled';

    if (isLong(desk)) {
      await startAnew(desk);
      if (desk.isAsked) continue;
    }
    const rung = nextRung(desk);
    desk.describe();
    if ((await desk.wait(rung.at - Date.now())) === 'message') continue;
    if (rung.kind === 'reminder') await climb(desk, rung);
    else if ((await takeOwed(desk, approval.id)) || desk.hasPending) continue;
    const forgiven = await forgiveOutage(desk, rung);
    if (rung.kind === 'expiry' && !forgiven) return 'expired';
  }
}

/**
 * What was due is handled much later than that: no worker was up. Where policy says so, people get time after it, once.
 * @returns whether they were given any
 */
async function forgiveOutage(desk: Desk, rung: Rung): Promise<boolean> {
  const { approval, input } = desk;
  const now = Date.now();
  // Approvals that 0.1 opened have no such policy, so their histories hold no such step.
  if (!approval || !deservesGrace(approval, rung.at, now)) return false;
  const { tenant, runId } = input;
  const approvalId = approval.id;
  desk.approval = await durably(() => quick.grantGrace({ tenant, runId, approvalId, now }));
  return true;
}

/** Before it expires: what is on record counts by when it was received, delivered or not. @returns whether there was any */
async function takeOwed(desk: Desk, approvalId: string): Promise<boolean> {
  // Runs of 0.1 that have expired already replay without this step.
  if (!patched('owed-at-the-deadline')) return false;
  const { tenant } = desk.input;
  const owed = await durably(() => quick.owedDecisions({ tenant, approvalId }));
  for (const message of owed) await applyNext(desk, { message, answer: () => undefined });
  return owed.length > 0;
}

/** Answers whatever is still queued once the approval is decided: each gets its refusal, none has an effect (R25). */
export async function answerLateDecisions(desk: Desk): Promise<void> {
  for (let pending = desk.next(); pending; pending = desk.next()) await applyNext(desk, pending);
}

async function applyNext(desk: Desk, pending: NonNullable<ReturnType<Desk['next']>>): Promise<void> {
  const { tenant, runId } = desk.input;
  const approvalId = desk.approval?.id;
  if (approvalId === undefined) {
    pending.answer({
      accepted: false,
      code: 'approval_not_open',
      detail: 'no approval was opened for this refund',
    });
    return;
  }
  const applied = await durably(() =>
    quick.applyDecision({ tenant, runId, approvalId, epoch: desk.epoch, message: pending.message }),
  );
  desk.approval = applied.approval;
  desk.votedIn = applied.epoch;
  desk.state = { ...desk.state, arguments: applied.approval.arguments };
  pending.answer(applied.answer);
}

interface Rung {
  readonly kind: 'reminder' | 'expiry';
  /** ms since the epoch. */
  readonly at: number;
  readonly afterHours: number;
  readonly escalateTo?: string;
}

/** The next reminder, escalation or expiry after the rungs already climbed. */
function nextRung(desk: Desk): Rung {
  const { approval } = desk;
  if (!approval) throw new RangeError('there is no approval to remind of');
  const { remindersHours, escalation, expiryHours } = approval.policy;
  const hours = [...new Set([...remindersHours, ...(escalation ? [escalation.afterHours] : [])])]
    .filter((h) => h < expiryHours && h > desk.remindedHours)
    .sort((a, b) => a - b);
  const [afterHours] = hours;
  if (afterHours === undefined) return { kind: 'expiry', at: approval.deadline, afterHours: expiryHours };
  return {
    kind: 'reminder',
    at: approval.openedAt + afterHours * hourMs + pausedMs(approval),
    afterHours,
    ...(escalation?.afterHours === afterHours ? { escalateTo: escalation.toGroup } : {}),
  };
}

async function climb(desk: Desk, { afterHours, escalateTo }: Rung): Promise<void> {
  const { tenant, runId } = desk.input;
  const approvalId = desk.approval?.id;
  if (approvalId === undefined) return;
  const approval = await durably(() =>
    quick.remindApprovers({
      tenant,
      runId,
      approvalId,
      afterHours,
      ...(escalateTo === undefined ? {} : { escalateTo }),
    }),
  );
  if (approval) desk.approval = approval;
  desk.remindedHours = afterHours;
}
