import { sql, type RawBuilder } from 'kysely';

/** What a refund holds of persons in its request. */
const ofPersons = sql.lit('{customerId,orderId,threadId,onBehalfOf,askedBy,evidence}');

/** One table in which a run holds something of persons, and how that is taken away while the row stays. */
export interface RunPlace {
  readonly table: string;
  readonly columns: readonly string[];
  readonly set: RawBuilder<unknown>;
  /** Which rows are this run's and hold anything; without it, by `run_id`. */
  readonly where?: (runId: string) => RawBuilder<unknown>;
}

/** The registry: every place of run data. Another one is a row here. */
export const runPlaces: readonly RunPlace[] = [
  {
    table: 'runs',
    columns: ['on_behalf_of', 'customer', 'note', 'request'],
    set: sql`on_behalf_of = null, customer = null, note = null, request = request - ${ofPersons}::text[],
      erased_at = clock_timestamp()`,
  },
  {
    table: 'approvals',
    // The last five follow from the first two.
    columns: ['state', 'facts', 'risk', 'customer', 'claimed_by', 'escalated_to'],
    set: sql`state = state - '{onBehalfOf,alsoFor}'::text[], facts = facts - '{customer,onBehalfOf,orderId,note,evidence}'::text[]`,
  },
  {
    table: 'decisions',
    columns: ['comment', 'decision', 'content'],
    // What is said to be the same is compared no more once it names nobody.
    set: sql`comment = null, decision = decision - 'onBehalfOf',
      content = case when decision ? 'onBehalfOf' then '' else content end`,
  },
  {
    table: 'spoken_for',
    columns: ['on_behalf_of'],
    set: sql`on_behalf_of = null`,
    where: (runId) => sql`ref = ${runId}`,
  },
  // What a row of a batch says; its run has the same.
  { table: 'batch_items', columns: ['content', 'name'], set: sql`content = null, name = null` },
  { table: 'review_orders', columns: ['comment'], set: sql`comment = null` },
  { table: 'reconciliation_differences', columns: ['comment'], set: sql`comment = null` },
  {
    table: 'refund_splits',
    columns: ['request'],
    set: sql`request = request - ${ofPersons}::text[] - 'note'`,
    where: (runId) => sql`split_id = (select split_id from runs where run_id = ${runId}) and not exists (
      select from runs part where part.split_id = refund_splits.split_id and part.erased_at is null)`,
  },
];

/** Columns of other tables that hold something of one person, taken away with him (personalData.ts). */
export const recordPlaces: Readonly<Record<string, readonly string[]>> = {
  payments: ['customer'],
  batches: ['on_behalf_of'],
  principals: ['display_name'],
  erasures: ['subject'],
  legal_holds: ['subject'],
};

/** Who acted: handles of people who hold keys. They stand in the audit log for good, so they are no secret here. */
const handle = 'a handle: who acted stands in the audit log for good';
const id = 'an id of Countersign or of the provider';
const word = 'one of a few words';
const figures = 'figures, words and ids that Countersign has made';
const key = 'a key row, which outlives every retention (R3)';
const staff = 'written by staff about the system, and screened';

/**
 * Text that is in no registry, column by column, and why it may stay. Tables whose rows go as a whole are listed by the
 * database (`owned_tables`).
 */
export const exempt: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  agent_runs: {
    ...all(id, 'run_id', 'tenant', 'key_id'),
    ...all(key, 'fingerprint'),
    requester: handle,
    status: word,
    state: figures,
  },
  api_keys: all(
    handle,
    'tenant',
    'principal_id',
    'id',
    'name',
    'scopes',
    'created_by',
    'confirmed_by',
    'replaced_by',
    'token_hash',
  ),
  approval_revisions: {
    ...all(id, 'approval_id', 'tenant', 'proposal_hash'),
    ...all(figures, 'arguments', 'risk'),
    proposed_by: handle,
  },
  approvals: {
    ...all(id, 'id', 'tenant', 'run_id', 'epoch'),
    ...all(word, 'status', 'approver_group', 'currency'),
  },
  audit: all(
    'no personal data by its own rule, and append-only; rows of before 0.2 may name whom a service acted for',
    ...['tenant', 'run_id', 'actor', 'event', 'step', 'before', 'after', 'reason', 'policy_version'],
    ...['effect_key', 'provider_id', 'prev_hash', 'hash'],
  ),
  audit_anchors: all(id, 'tenant', 'jws'),
  audit_anchor_heads: all(id, 'tenant', 'run_id', 'hash'),
  batch_items: {
    ...all(id, 'batch_id', 'tenant', 'run_id', 'payment_id', 'fingerprint'),
    ...all(word, 'state', 'currency', 'code'),
    detail: figures,
  },
  batches: {
    ...all(id, 'batch_id', 'tenant', 'manifest_hash'),
    ...all(word, 'kind', 'approval', 'state', 'currency', 'reason'),
    ...all(handle, 'requester', 'paused_by', 'cancelled_by'),
    summary: figures,
  },
  brakes: all(staff, 'scope', 'reason', 'actor'),
  channel_keys: all(
    handle,
    'kid',
    'tenant',
    'public_jwk',
    'channel',
    'created_by',
    'confirmed_by',
    'replaced_by',
  ),
  decisions: {
    ...all(id, 'approval_id', 'decision_id', 'tenant', 'run_id', 'epoch'),
    ...all(word, 'channel', 'status'),
    ...all('what was decided by whom, which the votes are proved by; its words are the comment', 'outcome'),
  },
  effects: {
    ...all(key, 'key', 'tenant', 'run_id', 'step', 'provider_id'),
    ...all(figures, 'request', 'state', 'error_code'),
  },
  erasures: {
    ...all(id, 'id', 'tenant', 'state'),
    ...all(handle, 'requested_by', 'confirmed_by'),
    ...all(figures, 'waiting_for', 'report'),
  },
  groups: all(staff, 'tenant', 'name', 'description'),
  knowledge_documents: all(
    'documents of the tenant, not of a person',
    'tenant',
    'id',
    'title',
    'format',
    'content_hash',
    'ingested_by',
  ),
  knowledge_passages: all(
    'documents of the tenant, not of a person',
    'tenant',
    'document',
    'id',
    'headings',
    'quote',
    'ids',
  ),
  kysely_migration: all(word, 'name', 'timestamp'),
  kysely_migration_lock: all(word, 'id'),
  ledger_causes: all(id, 'tenant', 'run_id'),
  ledger_entries: all(id, 'tenant', 'account', 'payment_id', 'run_id', 'currency'),
  legal_holds: {
    ...all(id, 'id', 'tenant', 'scope'),
    reason: staff,
    ...all(handle, 'placed_by', 'released_by'),
  },
  memory_sources: {
    ...all(id, 'id', 'tenant', 'kind', 'ref', 'hold'),
    ...all(staff, 'reason', 'comment'),
    ...all(handle, 'actor', 'ended_by'),
  },
  notifications: { ...all(id, 'key', 'tenant', 'run_id', 'template'), recipient: handle, data: figures },
  outbox: all(id, 'tenant', 'run_id', 'kind', 'ref'),
  owned_tables: all(word, 'table_name', 'kept_for', 'age', 'named', 'blanked', 'needed'),
  payments: {
    ...all(id, 'account', 'payment_id', 'tenant', 'changed_by', 'intent', 'reconciled_by'),
    ...all(word, 'currency', 'refunded_to'),
  },
  policies: all(staff, 'tenant', 'version', 'document', 'cedar', 'cases', 'published_by', 'comment'),
  principals: all(handle, 'tenant', 'id', 'kind', 'groups'),
  provider_events: all(id, 'account', 'event_id', 'type'),
  reconciliation_differences: {
    ...all(id, 'id', 'tenant', 'payment_id', 'refund_id', 'run_id', 'reconciliation_id'),
    ...all(figures, 'kind', 'ours', 'theirs', 'explanation', 'status'),
    dismissed_by: handle,
  },
  reconciliations: {
    ...all(id, 'id', 'tenant', 'in_flight'),
    ...all(figures, 'state', 'progress', 'error_code'),
    requested_by: handle,
  },
  refund_lines: all(
    'counted under their order for as long as it can be refunded (R11)',
    'run_id',
    'tenant',
    'order_id',
    'line_id',
  ),
  refund_requests: all(key, 'tenant', 'idempotency_key', 'fingerprint', 'run_id'),
  refund_splits: {
    ...all(id, 'split_id', 'tenant', 'currency'),
    requester: handle,
    order_id: 'counted under its order (R11)',
  },
  retention_rules: { tenant: id, changed_by: handle },
  review_orders: {
    ...all(id, 'id', 'tenant', 'run_id', 'refund_id'),
    action: word,
    actor: handle,
    answer: figures,
  },
  runs: {
    ...all(id, 'run_id', 'tenant', 'payment_id', 'split_id', 'batch_id', 'reopened_by'),
    ...all(word, 'phase', 'currency', 'money'),
    requester: handle,
    ...all(figures, 'approved', 'executed', 'result', 'review'),
  },
  spoken_for: all(id, 'tenant', 'ref', 'step'),
  sign_in_failures: all('a hash of an address', 'source'),
  tenants: all(staff, 'id', 'name'),
  web_sessions: all('ends with its key', 'id', 'tenant', 'key_id', 'time_zone'),
};

/** Why rows of a table may name somebody who is gone: undefined where something of a person is taken away in it. */
export function reasonToKeep(table: string): string | undefined {
  if (table in recordPlaces || runPlaces.some((place) => place.table === table)) return undefined;
  const reasons = Object.values(exempt[table] ?? {});
  return reasons.at(-1);
}

function all(reason: string, ...columns: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.map((column) => [column, reason]));
}
