import type { ColumnType, Generated } from 'kysely';
import type { CompactionStrategy } from '../../domain/context/summary';
import type { TurnRole } from '../../domain/thread/turn';
import type { Json } from './columns';

/** The tables of migrations/0017_threads.ts. */
export interface ThreadTables {
  threads: {
    id: string;
    tenant: string;
    owner: string;
    title: string | null;
    created_by: string;
    last_seq: Generated<number>;
    created_at: Generated<Date>;
    last_turn_at: ColumnType<Date | null, never, Date>;
  };
  thread_turns: {
    thread_id: string;
    seq: number;
    tenant: string;
    owner: string;
    role: TurnRole;
    text: string;
    author: string;
    client_message_id: string | null;
    tool_call_id: string | null;
    tool_name: string | null;
    run_id: string | null;
    mentions: string[];
    created_at: Generated<Date>;
  };
  thread_compactions: {
    thread_id: string;
    up_to: number;
    strategy: CompactionStrategy;
    format: number;
    tenant: string;
    owner: string;
    content: Json;
    created_at: Generated<Date>;
  };
}
