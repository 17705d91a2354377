import type { ColumnType, Generated } from 'kysely';
import type { MemoryKind, MemorySource } from '../../domain/memory/candidate';

type Time = ColumnType<Date, Date | string, Date | string>;

/** The memory tables of migrations/0002_memory.ts. */
export interface MemoryTables {
  memory_decisions: {
    id: string;
    tenant: string;
    owner: string;
    request_key: string | null;
    kind: MemoryKind | null;
    key: string | null;
    allowed: boolean;
    rule_ids: string[];
    policy_version: string;
    reason: string;
    actor: string;
    actor_kind: 'person' | 'service' | 'agent' | 'workflow';
    decided_at: Generated<Date>;
  };
  memories: {
    id: string;
    tenant: string;
    owner: string;
    kind: MemoryKind;
    key: string;
    value: string;
    source: MemorySource;
    confidence: number;
    evidence: ColumnType<{ kind: string; ref: string }[], string, never>;
    personal: boolean;
    created_at: Generated<Date>;
    valid_from: Time;
    valid_to: ColumnType<Date | null, undefined, string>;
    superseded_by: ColumnType<string | null, undefined, string>;
    expires_at: ColumnType<Date | null, string | null, never>;
    version: number;
    decision_id: string;
    decision_allowed: Generated<boolean>;
    /** What it is found by. */
    words: ColumnType<string, string | undefined, never>;
    ids: ColumnType<string[], string[] | undefined, never>;
  };
  memory_tombstones: {
    memory_id: string;
    tenant: string;
    owner: string;
    versions: number;
    actor: string;
    forgotten_at: Generated<Date>;
  };
}
