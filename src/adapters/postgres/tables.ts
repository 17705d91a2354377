import type { ColumnType, Generated } from 'kysely';
import type { BatchTables } from './batchTables';
import type { AgentRunTables } from './agentRunTables';
import type { BookTables } from './bookTables';
import type { Computed, EndTime, Json, Time } from './columns';
import type { KnowledgeTables } from './knowledgeTables';
import type { ErasureTables } from './erasureTables';
import type { MemoryTables } from './memoryTables';
import type { PageTables } from './pageTables';
import type { SpokenTables } from './spokenTables';
import type { ThreadTables } from './threadTables';

/** The schema of migrations/, as kysely sees it. Amounts are minor units. */
export interface Tables
  extends
    AgentRunTables,
    MemoryTables,
    KnowledgeTables,
    BookTables,
    PageTables,
    ErasureTables,
    SpokenTables,
    ThreadTables,
    BatchTables {
  tenants: {
    id: string;
    name: string;
    active: Generated<boolean>;
    version: Generated<number>;
    created_at: Time;
  };
  principals: {
    tenant: string;
    id: string;
    kind: 'person' | 'service' | 'agent';
    display_name: string;
    groups: string[];
    limit_major: string | null;
    active: Generated<boolean>;
    version: Generated<number>;
    created_at: Time;
    updated_at: Time;
  };
  groups: { tenant: string; name: string; description: string; version: Generated<number> };
  api_keys: {
    token_hash: string;
    tenant: string;
    principal_id: string;
    revoked_at: EndTime;
    id: string;
    name: string;
    scopes: string[];
    created_by: string;
    created_at: Time;
    confirmed_by: string | null;
    expires_at: EndTime;
    replaced_by: string | null;
    last_used_at: EndTime;
  };
  channel_keys: {
    kid: string;
    tenant: string | null;
    public_jwk: Json<Record<string, string>>;
    revoked_at: EndTime;
    channel: string;
    created_by: string;
    created_at: Time;
    confirmed_by: string | null;
    expires_at: EndTime;
    replaced_by: string | null;
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
    split_id: string | null;
    batch_id: string | null;
    created_at: Time;
    updated_at: Time;
    erased_at: EndTime;
  };
  refund_requests: {
    tenant: string;
    idempotency_key: string;
    fingerprint: string;
    run_id: string;
    created_at: Time;
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
    ended_at: Computed<number | null>;
  };
  approval_revisions: {
    approval_id: string;
    revision: number;
    tenant: string;
    proposal_hash: string;
    arguments: Json;
    proposed_by: string;
    risk: Json | null;
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
    kind: 'start' | 'decision' | 'cancel' | 'review' | 'news' | 'erasure' | 'batch' | 'agent' | 'memory';
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
