import { GptTokenCounter } from '../../../src/adapters/model/gptTokenCounter';
import { assembleContext } from '../../../src/domain/context/assemble';
import { contextItems, type ContextInput, type RunState } from '../../../src/domain/context/items';
import type { Turn } from '../../../src/domain/thread/turn';
import { currentRun } from './conversations';

const counter = new GptTokenCounter();
export const count = (text: string) => Math.ceil(counter.count(text) * (1 + counter.margin));
export const seed = 20_261_129;

export const run = (change: Partial<RunState> = {}): RunState => ({
  runId: currentRun,
  phase: 'waiting_approval',
  amount: '120.00 USD',
  reason: 'damaged',
  paymentId: 'ch_1',
  orderId: 'ORDER-7',
  customer: 'cus_7',
  refundId: null,
  ...change,
});
export const approval = {
  id: 'apr_0000000000000000000000000000cafe',
  runId: currentRun,
  revision: 2,
  amount: '120.00 USD',
  votes: 1,
  needed: 2,
  approverGroup: 'approvers',
  deadline: '2026-12-01T00:00:00.000Z',
};
export const input = (change: Partial<ContextInput> = {}): ContextInput => ({
  thread: { id: `thr_${'0'.repeat(32)}`, owner: 'cus_7', title: 'A broken lamp' },
  policy: { version: '3', rules: new Map([['USD', 'up to 50 automatic; above 1 approver']]) },
  runs: [run()],
  approvals: [approval],
  pinned: [],
  recalled: [],
  knowledge: [],
  summary: null,
  turns: [],
  showSummary: true,
  ...change,
});
export const assembled = (change: Partial<ContextInput>, budget: number) =>
  assembleContext(contextItems(input(change)), budget, count);

export function turn(seq: number, text: string): Turn {
  return {
    ...{ seq, text, role: 'user', author: 'service', at: seq },
    ...{ clientMessageId: null, toolCallId: null, toolName: null, runId: null },
  };
}
