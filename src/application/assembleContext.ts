import { amountOf } from '../domain/approval/state';
import { isFinal } from '../domain/contract';
import { assembleContext } from '../domain/context/assemble';
import { cutText } from '../domain/context/facts';
import {
  contextItems,
  type ContextInput,
  type PendingApproval,
  type RunState,
} from '../domain/context/items';
import { contextReasons } from '../domain/context/manifest';
import type { Passage } from '../domain/context/passage';
import type { MemoryScope } from '../domain/memory/candidate';
import { mostPinned } from '../domain/memory/pins';
import { citationText } from '../domain/knowledge/citation';
import { describeTable } from '../domain/policy/describe';
import type { Turn } from '../domain/thread/turn';
import type { Authorization } from '../ports/authorization';
import type { MemoryStore } from '../ports/memory';
import type { Principal } from '../ports/people';
import type { Recall } from '../ports/recall';
import type { Run } from '../ports/runs';
import type { Store, Unit } from '../ports/store';
import type { Summarizer } from '../ports/summarizer';
import type { Thread } from '../ports/threads';
import type { TokenCounter } from '../ports/tokenCounter';
import { compactThread } from './compactThread';
import { amountView, iso } from './viewParts';

export interface ContextUseCases {
  readonly store: Store;
  readonly authorization: Authorization;
  readonly memory: MemoryStore;
  /** Loaded when something is counted. */
  readonly tokens: () => Promise<TokenCounter>;
  readonly recall: Recall;
  readonly summarizer?: Summarizer;
}

export interface ContextRequest {
  /** Tokens, wrappers and margin included. */
  readonly budget: number;
  /** `sliding_window` shows ids and amounts of earlier turns alone. */
  readonly compaction: 'structured_summary' | 'sliding_window';
  /** Adds to every item of the manifest why it is in or out, in words. */
  readonly explain: boolean;
}

const mostRuns = 200;
/** What its owner said, beside what is pinned. */
const mostSaid = 20;
const mostRecalled = 20;
const mostPassages = 10;
/** UTF-16 units of the last thing asked, by which memory and documents are searched. */
const longestQuestion = 500;

/**
 * What one model call sees of a thread: policy, state, pending approvals and open ids always; memory, documents,
 * summary and turns as the budget allows. Of a thread that was opened; computed anew each time, and stored nowhere.
 * @throws CountersignError context_over_budget
 */
export async function threadContext(
  useCases: ContextUseCases,
  principal: Principal,
  thread: Thread,
  { budget, compaction, explain }: ContextRequest,
) {
  const scope = { tenant: principal.tenant, owner: thread.owner };
  const { store } = useCases;
  const compacted = await compactThread(useCases, scope, thread);
  const state = await store.inTenant(scope.tenant, (unit) =>
    stateOf(unit, useCases.authorization, principal, thread, compacted?.upTo ?? 0),
  );
  const remembered = await rememberedFor(useCases, scope, questionOf(thread, state.turns));
  const items = contextItems({
    thread,
    ...state,
    ...remembered,
    summary: compacted ?? null,
    showSummary: compaction === 'structured_summary',
  });
  const tokens = await useCases.tokens();
  const count = (text: string) => Math.ceil(tokens.count(text) * (1 + tokens.margin));
  const { text, manifest } = assembleContext(items, budget, count);
  return {
    threadId: thread.id,
    version: thread.version,
    text,
    tokens: manifest.tokens,
    budget,
    counter: { name: tokens.name, margin: tokens.margin },
    summary: compacted ? { upTo: compacted.upTo, strategy: compacted.strategy } : null,
    manifest: manifest.items.map((item) =>
      explain ? { ...item, why: contextReasons[item.reason] } : { ...item },
    ),
  };
}

/** One transaction: the thread as it was when it was looked up, and its refunds as they are now. */
async function stateOf(
  unit: Unit,
  authorization: Authorization,
  principal: Principal,
  thread: Thread,
  upTo: number,
): Promise<Pick<ContextInput, 'policy' | 'runs' | 'approvals' | 'turns'>> {
  const policy = await unit.policies.newest();
  const ask = authorization.under(policy);
  const runs = (await unit.runs.ofThread(thread.id, mostRuns)).filter(
    (refund) => ask({ who: principal, action: 'view', refund }).allowed,
  );
  const current = runs.filter(({ phase }) => !isFinal(phase));
  const approvals: PendingApproval[] = [];
  for (const { runId } of current) {
    const stored = await unit.approvals.ofRun(runId);
    if (stored?.approval.status !== 'open') continue;
    const { approval } = stored;
    approvals.push({
      id: approval.id,
      runId,
      revision: approval.revision,
      amount: amountText(amountOf(approval)),
      votes: approval.votes.length,
      needed: approval.policy.needed,
      approverGroup: approval.policy.approverGroup,
      deadline: iso(approval.deadline),
    });
  }
  const kept = await unit.threads.kept(
    thread.owner,
    thread.id,
    upTo,
    current.map(({ runId }) => runId),
  );
  return {
    policy: { version: policy.version, rules: describeTable(policy.document) },
    runs: runs.map(runState),
    approvals,
    turns: kept.filter(({ seq }) => seq <= thread.version),
  };
}

function runState(run: Run): RunState {
  return {
    runId: run.runId,
    phase: run.phase,
    amount: amountText(run.amount),
    reason: run.request.reason,
    paymentId: run.paymentId,
    orderId: run.request.orderId ?? null,
    customer: run.customer,
    refundId: run.result?.refundId ?? null,
  };
}

function amountText(amount: Run['amount']): string {
  const { value, currency } = amountView(amount);
  return `${value} ${currency}`;
}

async function rememberedFor(
  { store, memory, recall }: ContextUseCases,
  scope: MemoryScope,
  question: string,
): Promise<Pick<ContextInput, 'pinned' | 'recalled' | 'knowledge'>> {
  const said = (await memory.recall(scope, { limit: 200 })).filter(
    ({ source, kind, pinned: isPinned }) =>
      !isPinned && kind !== 'episodic' && (source === 'user_explicit' || source === 'operator'),
  );
  const first = await memory.recall(scope, { pinned: true, limit: mostPinned });
  const pinned: Passage[] = [...first, ...said.slice(0, mostSaid)].map(({ id, key, value, source }) => ({
    ...{ id, text: `${key}: ${value}`, source, score: null },
  }));
  if (question === '') return { pinned, recalled: [], knowledge: [] };
  const { items } = await recall.search(scope, { text: question, limit: mostRecalled });
  const found = await store.inTenant(scope.tenant, ({ knowledge }) =>
    knowledge.search(question, mostPassages),
  );
  return {
    pinned,
    recalled: items.map(({ memory: { id, key, value, source }, score }) => ({
      ...{ id, text: `${key}: ${value}`, source, score },
    })),
    knowledge: found.map(({ document, version, number, title, headings, quote, score }) => ({
      id: citationText({ document, version, number }),
      text: quote,
      source: [title, ...headings].join(' > '),
      score,
    })),
  };
}

function questionOf({ title }: Thread, turns: readonly Turn[]): string {
  const last = turns.findLast(({ role }) => role === 'user');
  return cutText(last?.text ?? title ?? '', longestQuestion);
}
