import type { ApprovalView } from '../../src/application/views';
import type { InboxCheck } from '../../src/client';
import { actor } from '../cli/actors';
import { query } from '../support/database';
import { until } from '../support/processes';
import type { TestStack } from '../support/stack';
import { auditOf } from './evidence';

type Named = Pick<ApprovalView, 'id' | 'runId'>;

export async function check(
  stack: TestStack,
  ...options: string[]
): Promise<{ code: number | null; report: InboxCheck }> {
  const { code, json } = await actor(stack, 'admin')('approvals', 'check', '--json', ...options);
  return { code, report: json as unknown as InboxCheck };
}

/** What only somebody who goes past the application can do. */
export async function sql({ database }: TestStack, statement: string, id: string): Promise<void> {
  await query(database.adminUrl, statement, [id]);
}

export async function rowOf(
  { database }: TestStack,
  { id }: Pick<Named, 'id'>,
): Promise<Record<string, unknown> | undefined> {
  const [row] = await query<Record<string, unknown>>(
    database.adminUrl,
    `select state, facts, epoch, status, approver_group, amount::int, currency, opened_at, deadline
     from approvals where id = $1`,
    [id],
  );
  return row;
}

/** Until Temporal's index, which is a moment behind, has the run as waiting. */
export async function untilIndexed({ temporal }: TestStack, { runId }: Named): Promise<void> {
  const waiting = `CountersignPhase = 'waiting_approval' AND WorkflowId = 'refund/acme/${runId}'`;
  await until(async () => (await temporal.client.workflow.count(waiting)).count === 1);
}

export async function repairsOf(stack: TestStack, { runId }: Named) {
  return (await auditOf(stack, runId)).filter(({ event }) => event === 'inbox_repaired');
}

export const nothing = { code: 0, report: { checked: expect.any(Number), differences: [], ok: true } };

export const told = (kind: string, { id, runId }: Named, fields: string[] = []) => ({
  kind,
  runId,
  approvalId: id,
  fields,
  explanation: expect.stringMatching(/./),
  repaired: false,
});
