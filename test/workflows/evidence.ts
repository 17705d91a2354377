import type { temporal } from '@temporalio/proto';
import { refundWorkflowId } from '../../src/domain/contract';
import { query } from '../support/database';
import type { TestStack } from '../support/stack';

/** What a suite counts with: the provider's own log, our rows as the superuser sees them, and Temporal's history. */
type Parts = Pick<TestStack, 'database' | 'provider' | 'temporal'>;

export interface AuditLine {
  readonly seq: number;
  readonly actor: string;
  readonly event: string;
  readonly step: string;
  readonly reason: string | null;
  readonly after: Record<string, unknown> | null;
}

export async function auditOf({ database }: Pick<Parts, 'database'>, runId: string): Promise<AuditLine[]> {
  return query<AuditLine>(
    database.adminUrl,
    'select seq, actor, event, step, reason, after from audit where run_id = $1 order by seq',
    [runId],
  );
}

export async function eventsOf(parts: Pick<Parts, 'database'>, runId: string): Promise<string[]> {
  return (await auditOf(parts, runId)).map((line) => line.event);
}

/** Rows whose number, link or hash is not what the rows before them make it; recomputed from their content. */
export async function brokenAuditRows(
  { database }: Pick<Parts, 'database'>,
  runId: string,
): Promise<number[]> {
  const rows = await query<{ seq: number }>(
    database.adminUrl,
    `select seq from (
       select *, row_number() over w as place, lag(hash) over w as before_hash,
         encode(sha256(convert_to(jsonb_build_array(tenant, run_id, seq, extract(epoch from at)::text, actor, event, step,
           before, after, reason, policy_version, effect_key, provider_id, prev_hash)::text, 'UTF8')), 'hex') as recomputed
       from audit where run_id = $1 window w as (order by seq)) as chain
     where seq <> place or hash <> recomputed or prev_hash <> coalesce(before_hash, repeat('0', 64))`,
    [runId],
  );
  return rows.map((row) => row.seq);
}

export interface BalanceRow {
  readonly captured: number;
  readonly refunded: number;
  readonly unknown: number;
  readonly reserved: number;
}

/** Our ledger's row of one payment, minor units. */
export async function balanceOf(
  { database }: Pick<Parts, 'database'>,
  charge: string,
): Promise<BalanceRow | undefined> {
  const rows = await query<BalanceRow>(
    database.adminUrl,
    `select captured::int, refunded::int, unknown::int, reserved::int from payments where payment_id = $1`,
    [charge],
  );
  return rows[0];
}

export interface ProviderCall {
  readonly idempotencyKey: string | null;
  readonly status: number | null;
  readonly answered: boolean;
  readonly replayed: boolean;
}

/** Every call that asked the provider to move money of this payment, refused and repeated ones too. */
export async function refundCalls({ provider }: Pick<Parts, 'provider'>, charge: string) {
  const path = `requests?method=POST&path=/v1/refunds&payment=${charge}&limit=1000`;
  return ((await provider.admin('GET', path)) as { items: ProviderCall[] }).items;
}

/** `[amount, status]` of each refund that the provider has made of this payment, oldest first. */
export async function paidOut({ provider }: Pick<Parts, 'provider'>, charge: string) {
  return (await provider.refunds(charge)).reverse().map((refund) => [refund.amount, refund.status]);
}

export async function historyOf(
  { temporal }: Pick<Parts, 'temporal'>,
  runId: string,
  tenant = 'acme',
): Promise<temporal.api.history.v1.IHistoryEvent[]> {
  return (await temporal.handle(tenant, runId).fetchHistory()).events ?? [];
}

/** What Temporal keeps open for this run. */
export async function openWork({ temporal }: Pick<Parts, 'temporal'>, runId: string, tenant = 'acme') {
  const described = await temporal.connection.workflowService.describeWorkflowExecution({
    namespace: temporal.namespace,
    execution: { workflowId: refundWorkflowId(tenant, runId) },
  });
  const timers = new Set<string>();
  for (const event of await historyOf({ temporal }, runId, tenant)) {
    const started = event.timerStartedEventAttributes?.timerId;
    const ended = event.timerFiredEventAttributes?.timerId ?? event.timerCanceledEventAttributes?.timerId;
    if (typeof started === 'string') timers.add(started);
    if (typeof ended === 'string') timers.delete(ended);
  }
  return {
    activities: described.pendingActivities?.length ?? 0,
    timers: timers.size,
    workflowTask: Boolean(described.pendingWorkflowTask),
    historyLength: Number(described.workflowExecutionInfo?.historyLength ?? 0),
    status: described.workflowExecutionInfo?.status,
  };
}

/** What somebody was told about this run, oldest first; the requester, where nobody is named. */
export async function told(
  { database }: Pick<Parts, 'database'>,
  runId: string,
  recipient = 'service',
): Promise<string[]> {
  const rows = await query<{ template: string }>(
    database.adminUrl,
    `select template from notifications where run_id = $1 and recipient = $2 order by created_at`,
    [runId, recipient],
  );
  return rows.map(({ template }) => template);
}
