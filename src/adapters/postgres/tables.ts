import type { ColumnType, Generated } from 'kysely';
import type { MemoryTables } from './memoryTables';

type Json<T = unknown> = ColumnType<T, string, string>;
/** Follows from other columns of the row. */
type Computed<T> = ColumnType<T, never, never>;
type Time = ColumnType<Date, Date | string | undefined, Date | string>;

/** The schema of migrations/, as kysely sees it. Amounts are minor units. */
export interface Tables extends MemoryTables {
  tenants: { id: string; name: string };
  principals: {
    tenant: string;
    id: string;
    kind: 'person' | 'service' | 'agent';
    display_name: string;
    groups: string[];
    limit_major: string | null;
    active: Generated<boolean>;
  };
  channel_keys: {
    kid: string;
    tenant: string | null;
    public_jwk: Json<Record<string, string>>;
    revoked_at: Date | null;
  };
  policies: {
    tenant: string;
    version: string;
    /** Set by the table's own trigger, as is the time. */
    number: Generated<number>;
    document: Json;
    cedar: string;
    cases: Json;
    published_by: string | null;
    comment: string | null;
    published_at: Time;
  };
  payments: {
    account: string;
    payment_id: string;
    tenant: string;
    currency: string;
    captured: number;
    disputed: Generated<number>;
    refunded: Generated<number>;
    unknown: Generated<number>;
    reserved: Generated<number>;
    refunded_elsewhere: Generated<number>;
    customer: string | null;
    changed_by: string | null;
    paid_at: ColumnType<Date, Date, Date>;
    read_at: ColumnType<Date, Date, Date>;
  };
  ledger_entries: {
    tenant: string;
    account: string;
    payment_id: string;
    seq: number;
    at: Time;
    run_id: string | null;
    currency: string;
    customer: number;
    captured: number;
    reserved: number;
    unknown: number;
    refunded: number;
    disputed: number;
  };
  review_orders: {
    id: string;
    tenant: string;
    run_id: string;
    action: 'retry' | 'resolve_paid' | 'fail';
    refund_id: string | null;
    actor: string;
    comment: string | null;
    at: Time;
    answer: Json | null;
  };
  provider_events: { account: string; event_id: string; type: string; received_at: Time };
  brakes: {
    id: Generated<number>;
    scope: string;
    engaged: boolean;
    reason: string;
    actor: string;
    at: Time;
  };
  runs: {
    run_id: string;
    tenant: string;
    phase: string;
    requester: string;
    on_behalf_of: string | null;
    payment_id: string;
    currency: string;
    amount: number;
    money: Generated<'none' | 'reserved' | 'unknown' | 'paid' | 'freed'>;
    automatic: Generated<boolean>;
    customer: string | null;
    request: Json;
    note: string | null;
    approved: Json | null;
    executed: Json | null;
    result: Json | null;
    review: Json | null;
    reopened_by: string | null;
    created_at: Time;
    updated_at: Time;
  };
  refund_requests: {
    tenant: string;
    idempotency_key: string;
    fingerprint: string;
    run_id: string;
    created_at: Time;
  };
  effects: {
    key: string;
    tenant: string;
    run_id: string;
    step: string;
    request: string;
    state: 'sent' | 'unknown' | 'succeeded' | 'pending' | 'failed' | 'refused';
    attempts: Generated<number>;
    first_sent_at: Time;
    provider_id: string | null;
    error_code: string | null;
    updated_at: Time;
  };
  approvals: {
    id: string;
    tenant: string;
    run_id: string;
    epoch: string;
    status: 'open' | 'approved' | 'rejected' | 'expired' | 'cancelled';
    approver_group: string;
    amount: number;
    currency: string;
    state: Json;
    facts: Json;
    opened_at: ColumnType<Date, Date, Date>;
    deadline: ColumnType<Date, Date, Date>;
    version: Generated<number>;
    risk: Computed<string[]>;
    customer: Computed<string | null>;
    claimed_by: Computed<string | null>;
    claimed_until: Computed<number | null>;
    escalated_to: Computed<string | null>;
  };
  approval_revisions: {
    approval_id: string;
    revision: number;
    tenant: string;
    proposal_hash: string;
    arguments: Json;
    proposed_by: string;
  };
  decisions: {
    approval_id: string;
    decision_id: string;
    tenant: string;
    run_id: string;
    content: string;
    decision: Json;
    comment: string | null;
    channel: string;
    received_at: ColumnType<Date, Date, Date>;
    status: 'signed' | 'recorded' | 'applied' | 'refused' | 'voided';
    outcome: Json | null;
    epoch: string | null;
  };
  notifications: {
    key: string;
    tenant: string;
    run_id: string;
    recipient: string | null;
    template: string;
    data: Json;
    created_at: Time;
  };
  outbox: {
    id: Generated<number>;
    tenant: string;
    run_id: string;
    kind: 'start' | 'decision' | 'cancel' | 'review';
    ref: string;
    created_at: Time;
  };
  audit: {
    tenant: string;
    run_id: string;
    seq: Generated<number>;
    at: Time;
    actor: string;
    event: string;
    step: string;
    before: Json | null;
    after: Json | null;
    reason: string | null;
    policy_version: string | null;
    effect_key: string | null;
    provider_id: string | null;
    prev_hash: Generated<string>;
    hash: Generated<string>;
  };
  audit_anchors: { tenant: string; seq: number; at: Time; jws: string };
  audit_anchor_heads: { tenant: string; anchor: number; run_id: string; seq: number; hash: string };
}
