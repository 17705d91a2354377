import type { Client, ScheduleOptionsStartWorkflowAction } from '@temporalio/client';
import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';

export interface WantedSchedule {
  readonly scheduleId: string;
  /** A cron expression, in UTC. */
  readonly cron: string;
  readonly action: Omit<ScheduleOptionsStartWorkflowAction<Workflow>, 'type'>;
}

/**
 * A schedule as it is wanted now: made, or changed where it is another. Safe to call at any time and from several
 * processes. One run at a time: while one runs, the next is left out.
 */
export async function ensureScheduled(
  client: Client,
  { scheduleId, cron, action }: WantedSchedule,
): Promise<void> {
  const wanted = {
    // A few minutes of difference, so that tenants don't all begin at once.
    spec: { cronExpressions: [cron], jitter: '10 minutes' },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' as const },
    action: { type: 'startWorkflow' as const, ...action },
  };
  try {
    await client.schedule.create({ scheduleId, ...wanted });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // Paused by an operator, it stays so.
    await client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...wanted, state }));
  }
}

/** No schedule any more, where there was one. */
export async function removeScheduled(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
