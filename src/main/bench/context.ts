import { GptTokenCounter } from '../../adapters/model/gptTokenCounter';
import { assembleContext } from '../../domain/context/assemble';
import { contextItems } from '../../domain/context/items';
import { emptySummary, structuredSummary } from '../../domain/context/summary';
import type { Turn } from '../../domain/thread/turn';

export interface ContextBench {
  readonly turns: number;
  /** UTF-16 units of all turns together. */
  readonly characters: number;
  /** ms, the median of the rounds. */
  readonly tokenizerPassMs: number;
  /** With a stored summary, as a thread of that length has one. */
  readonly assemblyMs: number;
  /** The same and every turn shown, without a summary. */
  readonly wholeAssemblyMs: number;
  /** Making the summary anew, once in twenty turns. */
  readonly summaryMs: number;
}

const rounds = 15;

/** What it takes to assemble the context of a thread, beside counting the tokens of its turns once. */
export function benchContext(length = 200): ContextBench {
  const counter = new GptTokenCounter();
  const count = (text: string) => Math.ceil(counter.count(text) * (1 + counter.margin));
  const turns = Array.from({ length }, (_, index) => turnOf(index + 1));
  const text = turns.map((turn) => turn.text).join('\n');
  const upTo = Math.max(length - 40, 0);
  const summary = structuredSummary(emptySummary, turns.slice(0, upTo));
  const input = {
    thread: { id: `thr_${'0'.repeat(32)}`, owner: 'cus_1', title: null },
    policy: { version: '1', rules: new Map([['USD', 'up to 50.00 automatic; above 1 approver']]) },
    ...{ runs: [], approvals: [], pinned: [], recalled: [], knowledge: [], showSummary: true },
  };
  const stored = { ...input, summary: { upTo, summary }, turns: turns.slice(upTo) };
  const whole = { ...input, summary: null, turns };
  return {
    turns: length,
    characters: text.length,
    tokenizerPassMs: median(() => counter.count(text)),
    assemblyMs: median(() => assembleContext(contextItems(stored), 8_000, count)),
    wholeAssemblyMs: median(() => assembleContext(contextItems(whole), 100_000, count)),
    summaryMs: median(() => structuredSummary(emptySummary, turns.slice(0, upTo))),
  };
}

/** Half of the turns are said, the other half are a tool's calls and answers. */
function turnOf(seq: number): Turn {
  const order = `ORDER-${1000 + (seq % 17)}`;
  const base = { seq, author: 'service', clientMessageId: null, runId: null, at: seq };
  const said = `The customer of ${order} writes again: parcel number ${seq} arrived with a dent, and the shop had promised
to give ${seq}.50 USD back within five days. Please look at the photos that were attached and say what can be done.`;
  const step = seq % 4;
  if (step === 1 || step === 0) {
    return { ...base, role: step === 1 ? 'user' : 'assistant', text: said, toolCallId: null, toolName: null };
  }
  const tool = { ...base, toolCallId: `call-${seq - (seq % 2)}`, toolName: 'find_order' };
  if (step === 2) return { ...tool, role: 'tool_call', text: JSON.stringify({ order, seq }) };
  const answer = {
    order,
    amount: { value: `${seq}.50`, currency: 'USD' },
    lines: Array(8).fill('a lamp, blue'),
  };
  return { ...tool, role: 'tool_result', text: JSON.stringify(answer) };
}

function median(work: () => unknown): number {
  const times = Array.from({ length: rounds }, () => {
    const before = process.hrtime.bigint();
    work();
    return Number(process.hrtime.bigint() - before) / 1e6;
  });
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}
