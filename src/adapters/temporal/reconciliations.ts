import type { Client } from '@temporalio/client';
import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { reconcileWorkflowId, taskQueues, workflowTypes } from '../../domain/contract';
import type { ReconcileInput } from '../../domain/reconciliation/difference';

const tenantKey = defineSearchAttributeKey('CountersignTenant', SearchAttributeType.KEYWORD);

/** What a person's start and a schedule's have in common. */
export function reconcileStart(input: ReconcileInput) {
  return {
    taskQueue: taskQueues.refunds,
    args: [input],
    typedSearchAttributes: [{ key: tenantKey, value: input.tenant }],
    staticSummary: `Reconciliation of ${input.windowDays} days`,
    staticDetails: `Compares the books of tenant ${input.tenant} with the payment provider's.`,
  };
}

export interface ReconciliationSchedule {
  /** A cron expression, in UTC. */
  readonly cron: string;
  readonly windowDays: number;
}

/**
 * One schedule a tenant, as it is wanted now: made, or changed where it is another. Safe to call at any time and from
 * several processes. One reconciliation at a time: while one runs, the next is left out.
 */
export async function ensureSchedule(
  client: Client,
  tenant: string,
  { cron, windowDays }: ReconciliationSchedule,
): Promise<void> {
  const wanted = {
    // A few minutes of difference, so that tenants don't all ask the provider at once.
    spec: { cronExpressions: [cron], jitter: '10 minutes' },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
    action: {
      type: 'startWorkflow' as const,
      workflowType: workflowTypes.reconcile,
      workflowId: reconcileWorkflowId(tenant),
      ...reconcileStart({ tenant, windowDays, requestedBy: 'schedule' }),
    },
  };
  try {
    await client.schedule.create({ scheduleId: scheduleIdOf(tenant), ...wanted });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // Paused by an operator, it stays so.
    const existing = client.schedule.getHandle(scheduleIdOf(tenant));
    await existing.update(({ state }) => ({ ...wanted, state }));
  }
}

/** No schedule any more, where there was one. */
export async function removeSchedule(client: Client, tenant: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleIdOf(tenant)).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

export function scheduleIdOf(tenant: string): string {
  return `reconcile/${tenant}`;
}
