import type { ColumnType, Generated } from 'kysely';
import type { BatchApproval, BatchKind, BatchState, ItemState } from '../../domain/batch/batch';
import type { EndTime, Json, Time } from './columns';

/** The tables of migrations/0021_batches.ts and 0026_batch_versions.ts. Amounts are minor units. */
export interface BatchTables {
  batches: {
    batch_id: string;
    tenant: string;
    kind: BatchKind;
    requester: string;
    on_behalf_of: string | null;
    approval: BatchApproval;
    dry_run: boolean;
    state: ColumnType<BatchState, BatchState | undefined, BatchState>;
    rows: number;
    amount: number | null;
    currency: string | null;
    reason: string | null;
    paused_by: string | null;
    paused_at: EndTime;
    cancelled_by: string | null;
    manifest_hash: string | null;
    summary: Json | null;
    version: Generated<number>;
    created_at: Time;
    ended_at: EndTime;
  };
  batch_items: {
    batch_id: string;
    row: number;
    tenant: string;
    state: ItemState;
    name: string | null;
    run_id: string | null;
    payment_id: string | null;
    amount: number | null;
    currency: string | null;
    fingerprint: string | null;
    content: Json | null;
    code: string | null;
    detail: string | null;
    updated_at: Time;
  };
}
