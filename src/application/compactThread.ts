import {
  checkedSummary,
  emptySummary,
  structuredSummary,
  withProse,
  wholeSummary,
} from '../domain/context/summary';
import type { Turn } from '../domain/thread/turn';
import type { MemoryScope } from '../domain/memory/candidate';
import type { Store } from '../ports/store';
import type { Summarizer } from '../ports/summarizer';
import type { StoredCompaction, Thread } from '../ports/threads';

/** Turns at the end that no summary stands for yet. */
const window = 40;
/** A summary reaches to a multiple of this, so that it stands for a while. */
const step = 20;
/** Turns that are read at once. */
const page = 500;
/** A model that takes longer than this, ms, has not summarized. */
const modelPatienceMs = 20_000;

/** How far the summary of a thread of so many turns reaches; 0 for no summary. */
export function summarizedUpTo(version: number): number {
  return Math.max(0, Math.floor((version - window) / step) * step);
}

/**
 * The summary of all but the latest turns of a thread: the stored one, or that one with the turns since then folded in,
 * which is stored. Turns are read and never changed. @returns undefined for a thread that is short enough
 */
export async function compactThread(
  { store, summarizer }: { readonly store: Store; readonly summarizer?: Summarizer | undefined },
  { tenant, owner }: MemoryScope,
  { id, version }: Thread,
): Promise<StoredCompaction | undefined> {
  const upTo = summarizedUpTo(version);
  if (upTo === 0) return undefined;
  const stored = await store.inTenant(tenant, ({ threads }) => threads.compaction(owner, id, upTo));
  if (stored?.upTo === upTo) return stored;

  const before = stored?.summary ?? emptySummary;
  const turns: Turn[] = [];
  let summary = before;
  for (let after = stored?.upTo ?? 0; after < upTo;) {
    const filter = { after, limit: Math.min(page, upTo - after) };
    const next = await store.inTenant(tenant, ({ threads }) => threads.turns(owner, id, filter));
    const last = next.at(-1);
    if (!last) break;
    summary = structuredSummary(summary, next);
    turns.push(...next);
    after = last.seq;
  }
  const structured = checkedSummary(summary);
  const prose = summarizer ? await proseOf(summarizer, turns, wholeSummary(before)) : '';
  const written = withProse(structured, prose);
  const strategy = written === structured ? 'structured_summary' : 'model_summary';
  const compaction = { upTo, strategy, summary: written } as const;
  await store.inTenant(tenant, ({ threads }) => threads.keepCompaction(owner, id, compaction));
  return compaction;
}

/** What a model makes of it; empty where it fails, and the structured summary stays. */
async function proseOf(summarizer: Summarizer, turns: readonly Turn[], before: string): Promise<string> {
  const input = { turns: turns.map(({ role, text }) => ({ role, text })), before };
  return summarizer.summarize(input, AbortSignal.timeout(modelPatienceMs)).catch(() => '');
}
