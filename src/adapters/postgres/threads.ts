import { sql, type Selectable } from 'kysely';
import { summaryFormat, type ThreadSummary } from '../../domain/context/summary';
import { parseScope } from '../../domain/memory/candidate';
import type { Turn } from '../../domain/thread/turn';
import { pageOf } from '../../domain/page';
import type {
  NewThread,
  NewTurn,
  StoredCompaction,
  Thread,
  ThreadPosition,
  Threads,
  TurnFilter,
} from '../../ports/threads';
import type { Transaction } from './database';
import type { ThreadTables } from './threadTables';

export class PostgresThreads implements Threads {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async create({ id, owner, title, createdBy }: NewThread): Promise<boolean> {
    await this.bind(owner);
    const made = await this.trx
      .insertInto('threads')
      .values({ id, tenant: this.tenant, owner, title, created_by: createdBy })
      .onConflict((oc) => oc.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    return made !== undefined;
  }

  async find(owner: string, id: string): Promise<Thread | undefined> {
    await this.bind(owner);
    const row = await this.threadsOf(owner).where('id', '=', id).executeTakeFirst();
    return row && threadOf(row);
  }

  async lock(owner: string, id: string): Promise<Thread | undefined> {
    await this.bind(owner);
    const row = await this.threadsOf(owner).where('id', '=', id).forUpdate().executeTakeFirst();
    return row && threadOf(row);
  }

  async list(
    owner: string,
    after: ThreadPosition | undefined,
    limit: number,
  ): Promise<{ items: Thread[]; next: ThreadPosition | undefined }> {
    await this.bind(owner);
    const rows = await this.threadsOf(owner)
      .select(sql<string>`created_at::text`.as('created_text'))
      .$if(after !== undefined, (q) =>
        q.where(sql<boolean>`(created_at, id) < (${after?.createdAt}::timestamptz, ${after?.id})`),
      )
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute();
    const { page, last } = pageOf(rows, limit);
    const next = last ? { createdAt: last.created_text, id: last.id } : undefined;
    return { items: page.map(threadOf), next };
  }

  async append(thread: Thread, turns: readonly NewTurn[]): Promise<Turn[]> {
    if (turns.length === 0) return [];
    await this.bind(thread.owner);
    const rows = await this.trx
      .insertInto('thread_turns')
      .values(
        turns.map((turn, index) => ({
          thread_id: thread.id,
          seq: thread.version + index + 1,
          tenant: this.tenant,
          owner: thread.owner,
          role: turn.role,
          text: turn.text,
          author: turn.author,
          client_message_id: turn.clientMessageId,
          tool_call_id: turn.toolCallId,
          tool_name: turn.toolName,
          run_id: turn.runId,
          mentions: [...turn.mentions],
        })),
      )
      .returningAll()
      .execute();
    await this.trx
      .updateTable('threads')
      .set({ last_seq: thread.version + turns.length, last_turn_at: sql<Date>`clock_timestamp()` })
      .where('tenant', '=', this.tenant)
      .where('owner', '=', thread.owner)
      .where('id', '=', thread.id)
      .execute();
    return rows.map(turnOf);
  }

  async turns(owner: string, id: string, { after, limit, mentions }: TurnFilter): Promise<Turn[]> {
    await this.bind(owner);
    const rows = await this.turnsOf(owner, id)
      .where('seq', '>', after)
      .$if(mentions !== undefined, (q) => q.where(sql<boolean>`mentions @> array[${mentions ?? ''}]::text[]`))
      .orderBy('seq')
      .limit(limit)
      .execute();
    return rows.map(turnOf);
  }

  async named(
    owner: string,
    id: string,
    {
      clientMessageIds,
      toolCallIds,
    }: { readonly clientMessageIds: readonly string[]; readonly toolCallIds: readonly string[] },
  ): Promise<Turn[]> {
    await this.bind(owner);
    const rows = await this.turnsOf(owner, id)
      .where((row) =>
        row.or([
          row('client_message_id', '=', sql<string>`any(${[...clientMessageIds]}::text[])`),
          row('tool_call_id', '=', sql<string>`any(${[...toolCallIds]}::text[])`),
        ]),
      )
      .orderBy('seq')
      .execute();
    return rows.map(turnOf);
  }

  async kept(owner: string, id: string, upTo: number, runIds: readonly string[]): Promise<Turn[]> {
    await this.bind(owner);
    const rows = await this.turnsOf(owner, id)
      .where(
        sql<boolean>`(seq > ${upTo} or tool_call_id in (
          select tool_call_id from thread_turns as other
          where other.thread_id = ${id} and other.tool_call_id is not null
          group by tool_call_id
          having max(seq) > ${upTo} or count(*) = 1 or bool_or(run_id = any(${[...runIds]}::text[]))))`,
      )
      .orderBy('seq')
      .execute();
    return rows.map(turnOf);
  }

  async compaction(owner: string, id: string, upTo: number): Promise<StoredCompaction | undefined> {
    await this.bind(owner);
    const row = await this.trx
      .selectFrom('thread_compactions')
      .select(['up_to', 'strategy', 'content'])
      .where('tenant', '=', this.tenant)
      .where('owner', '=', owner)
      .where('thread_id', '=', id)
      .where('format', '=', summaryFormat)
      .where('up_to', '<=', upTo)
      .orderBy('up_to', 'desc')
      .orderBy('strategy')
      .limit(1)
      .executeTakeFirst();
    return row && { upTo: row.up_to, strategy: row.strategy, summary: row.content as ThreadSummary };
  }

  async keepCompaction(
    owner: string,
    id: string,
    { upTo, strategy, summary }: StoredCompaction,
  ): Promise<void> {
    await this.bind(owner);
    await this.trx
      .insertInto('thread_compactions')
      .values({
        thread_id: id,
        up_to: upTo,
        strategy,
        format: summaryFormat,
        tenant: this.tenant,
        owner,
        content: JSON.stringify(summary),
      })
      .onConflict((oc) => oc.doNothing())
      .execute();
  }

  private threadsOf(owner: string) {
    return this.trx
      .selectFrom('threads')
      .selectAll()
      .where('tenant', '=', this.tenant)
      .where('owner', '=', owner);
  }

  private turnsOf(owner: string, id: string) {
    return this.trx
      .selectFrom('thread_turns')
      .selectAll()
      .where('tenant', '=', this.tenant)
      .where('owner', '=', owner)
      .where('thread_id', '=', id);
  }

  /** For the rest of the transaction, or until another owner is named. */
  private async bind(named: string): Promise<void> {
    const { owner } = parseScope({ tenant: this.tenant, owner: named });
    await sql`select set_config('countersign.owner', ${owner}, true)`.execute(this.trx);
  }
}

function threadOf(row: Selectable<ThreadTables['threads']>): Thread {
  return {
    id: row.id,
    owner: row.owner,
    title: row.title,
    createdBy: row.created_by,
    version: row.last_seq,
    createdAt: row.created_at.getTime(),
    lastTurnAt: row.last_turn_at?.getTime() ?? null,
  };
}

function turnOf(row: Selectable<ThreadTables['thread_turns']>): Turn {
  return {
    seq: row.seq,
    role: row.role,
    text: row.text,
    author: row.author,
    clientMessageId: row.client_message_id,
    toolCallId: row.tool_call_id,
    toolName: row.tool_name,
    runId: row.run_id,
    at: row.created_at.getTime(),
  };
}
