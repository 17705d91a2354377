import type { ColumnType, Generated } from 'kysely';
import type { MemoryKind, MemorySource } from '../../domain/memory/candidate';
import type { Evidence, EvidenceKind } from '../../domain/memory/evidence';
import type { MemoryActor } from '../../domain/memory/gate';
import type { CandidateStatus, Hold, HoldReason } from '../../domain/memory/review';

type Time = ColumnType<Date, Date | string, Date | string>;
type EndTime = ColumnType<Date | null, undefined, Date>;

/** The memory tables of migrations/0002_memory.ts, 0015_memory_governance.ts and 0024_pins_and_recall.ts. */
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
    fades_at: ColumnType<Date | null, Date | null | undefined, never>;
    version: number;
    decision_id: string;
    decision_allowed: Generated<boolean>;
    /** What it is found by. */
    words: ColumnType<string, string | undefined, never>;
    ids: ColumnType<string[], string[] | undefined, never>;
  };
  memory_candidates: {
    id: string;
    tenant: string;
    owner: string;
    decision_id: string;
    kind: MemoryKind;
    key: string;
    value: string | null;
    source: MemorySource;
    confidence: number;
    evidence: ColumnType<Evidence[], string, never>;
    personal: boolean;
    expires_at: ColumnType<Date | null, string | null, never>;
    proposed_by: string;
    proposed_by_kind: MemoryActor['kind'];
    rule_ids: string[];
    proposal_hash: string;
    status: Generated<CandidateStatus>;
    created_at: Generated<Date>;
    deadline: Time;
    decided_at: EndTime;
    decided_by: string | null;
    comment: string | null;
    memory_id: string | null;
  };
  memory_sources: {
    id: string;
    tenant: string;
    kind: EvidenceKind;
    ref: string;
    hold: Hold;
    reason: HoldReason;
    comment: string | null;
    actor: string;
    held_at: Generated<Date>;
    ended_at: EndTime;
    ended_by: string | null;
  };
  memory_holds: {
    id: string;
    memory_id: string;
    tenant: string;
    owner: string;
    hold: Hold;
    source_id: string | null;
    reason: HoldReason;
    comment: string | null;
    actor: string;
    held_at: Time;
    ended_at: EndTime;
    ended_by: string | null;
  };
  memory_pins: {
    tenant: string;
    owner: string;
    kind: MemoryKind;
    key: string;
    pinned_by: string;
    pinned_at: Generated<Date>;
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
