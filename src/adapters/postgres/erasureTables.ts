import type { ColumnType, Generated } from 'kysely';
import type { ErasureReport, ErasureState, WaitingFor } from '../../domain/erasure/erasure';
import type { HoldScope } from '../../domain/retention/retention';
import type { EndTime, Json, Time } from './columns';

/** The tables of migrations/0018_retention_and_erasure.ts. */
export interface ErasureTables {
  erasures: {
    id: string;
    tenant: string;
    subject: string | null;
    own: boolean;
    state: ErasureState;
    requested_by: string;
    requested_at: Time;
    confirmed_by: string | null;
    waiting_for: ColumnType<WaitingFor[], string | undefined, string>;
    report: Json<ErasureReport> | null;
    finished_at: EndTime;
  };
  legal_holds: {
    id: string;
    tenant: string;
    scope: HoldScope;
    subject: string | null;
    reason: string;
    placed_by: string;
    placed_at: Time;
    released_by: string | null;
    released_at: EndTime;
  };
  retention_rules: {
    tenant: string;
    run_days: number;
    memory_days: number;
    turn_days: number;
    version: number;
    changed_by: string;
    changed_at: Time;
  };
  owned_tables: { place: Generated<number>; table_name: string };
}
