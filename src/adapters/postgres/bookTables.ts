import type { ColumnType, Generated } from 'kysely';
import type {
  DifferenceKind,
  DifferenceStatus,
  Figures,
  Progress,
  ReconciliationState,
} from '../../domain/reconciliation/difference';
import type { Json, Time } from './columns';

/** Where money stands: balances, their entries, calls to the provider, and what is compared with it. Minor units. */
export interface BookTables {
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
    intent: string | null;
    reconciled_by: string | null;
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
  ledger_causes: { tenant: string; run_id: string; tx: string; audit_seq: number };
  reconciliations: {
    id: string;
    tenant: string;
    state: Generated<ReconciliationState>;
    requested_by: string;
    window_from: ColumnType<Date, Date, Date>;
    window_to: ColumnType<Date, Date, Date>;
    progress: ColumnType<Progress, string | undefined, string>;
    pages: Generated<number>;
    compared: Generated<number>;
    in_flight: Generated<string[]>;
    differences: Generated<number>;
    error_code: string | null;
    started_at: Time;
    finished_at: Date | null;
  };
  reconciliation_differences: {
    id: string;
    tenant: string;
    kind: DifferenceKind;
    payment_id: string;
    refund_id: string | null;
    run_id: string | null;
    reconciliation_id: string;
    ours: Json<Figures> | null;
    theirs: Json<Figures> | null;
    explanation: string;
    status: DifferenceStatus;
    first_seen: Time;
    last_seen: Time;
    resolved_at: ColumnType<Date | null, Date | null, Date | null>;
    dismissed_by: string | null;
    comment: string | null;
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
  refund_lines: {
    run_id: string;
    tenant: string;
    order_id: string;
    line_id: string;
    position: number;
    quantity: number;
    amount: number;
    of_quantity: number;
    of_amount: number;
  };
  refund_splits: {
    split_id: string;
    tenant: string;
    requester: string;
    order_id: string;
    currency: string;
    amount: number;
    request: Json;
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
}
