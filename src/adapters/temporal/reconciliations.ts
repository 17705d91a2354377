import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { reconcileWorkflowId, taskQueues, workflowTypes } from '../../domain/contract';
import type { ReconcileInput } from '../../domain/reconciliation/difference';
import { ensureScheduled, removeScheduled } from './schedules';

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

/** One schedule a tenant. */
export async function ensureSchedule(
  client: Client,
  tenant: string,
  { cron, windowDays }: ReconciliationSchedule,
): Promise<void> {
  const action = {
    workflowType: workflowTypes.reconcile,
    workflowId: reconcileWorkflowId(tenant),
    ...reconcileStart({ tenant, windowDays, requestedBy: 'schedule' }),
  };
  await ensureScheduled(client, { scheduleId: scheduleIdOf(tenant), cron, action });
}

/** No schedule any more, where there was one. */
export async function removeSchedule(client: Client, tenant: string): Promise<void> {
  await removeScheduled(client, scheduleIdOf(tenant));
}

export function scheduleIdOf(tenant: string): string {
  return `reconcile/${tenant}`;
}
