import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { sweepWorkflowId, taskQueues, workflowTypes } from '../../domain/contract';
import type { ErasureInput } from '../../domain/erasure/erasure';
import type { SweepInput } from '../../domain/retention/retention';
import { ensureScheduled, removeScheduled } from './schedules';

const tenantKey = defineSearchAttributeKey('CountersignTenant', SearchAttributeType.KEYWORD);

/** What a person's start and a schedule's have in common. */
export function sweepStart(input: SweepInput) {
  return {
    taskQueue: taskQueues.refunds,
    args: [input],
    typedSearchAttributes: [{ key: tenantKey, value: input.tenant }],
    staticSummary: 'Retention sweep',
    staticDetails: `Takes away what tenant ${input.tenant} keeps no longer.`,
  };
}

export function erasureStart(input: ErasureInput) {
  return {
    taskQueue: taskQueues.refunds,
    args: [input],
    typedSearchAttributes: [{ key: tenantKey, value: input.tenant }],
    staticSummary: `Erasure ${input.erasureId}`,
    staticDetails: `Erases one person of tenant ${input.tenant}; who it is stands in the database alone.`,
  };
}

/** One schedule a tenant. */
export async function ensureSweeps(client: Client, tenant: string, cron: string): Promise<void> {
  const action = {
    workflowType: workflowTypes.memoryRetention,
    workflowId: sweepWorkflowId(tenant),
    ...sweepStart({ tenant, requestedBy: 'schedule' }),
  };
  await ensureScheduled(client, { scheduleId: sweepScheduleId(tenant), cron, action });
}

export async function removeSweeps(client: Client, tenant: string): Promise<void> {
  await removeScheduled(client, sweepScheduleId(tenant));
}

export function sweepScheduleId(tenant: string): string {
  return `memoryRetention/${tenant}`;
}
