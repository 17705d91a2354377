import { words } from '../../domain/agent/draftByRules';
import { outputOf, type AgentStep, type AgentStepOutput } from '../../domain/agent/state';
import { readWish } from '../../domain/agent/wish';
import { isFinal } from '../../domain/contract';
import { CountersignError } from '../../domain/errors';
import { citationText } from '../../domain/knowledge/citation';
import type { AgentProposal } from '../../ports/agentRuns';
import type { Unit } from '../../ports/store';
import { appendTurns } from '../appendTurns';
import { searchKnowledge } from '../knowledge';
import { requestRefund } from '../requestRefund';
import { amountView } from '../viewParts';
import { draftProposal } from './drafting';
import { lookAtPayment } from './lookAtPayment';
import type { AgentStepWork } from './stepWork';

/** `waiting`: what the step waits for has not happened yet. */
type Take = (work: AgentStepWork, step: AgentStep) => Promise<AgentStepOutput | 'waiting'>;

const mostExplicit = 50;

/** One function a type of step. Each can be repeated: what it changes has the key `<runId>:<stepId>`, or is kept as it was first. */
export const takeStep: Readonly<Record<AgentStep['type'], Take>> = {
  look_up_order: async ({ useCases, run, texts, said }) => {
    const named = namedPayment([texts.goal, ...said.map(({ text }) => text)]);
    const { paymentId, currency, captured, remaining } = await lookAtPayment(useCases, run.tenant, named);
    if (remaining <= 0)
      throw new CountersignError('exceeds_remaining', `nothing remains of ${paymentId} to refund`);
    const view = (minor: number) => amountView({ minor, currency });
    return { paymentId, captured: view(captured), remaining: view(remaining) };
  },

  gather_evidence: async ({ run, said }) => ({
    turns: said.slice(-5).map(({ seq }) => `thread:${run.state.conversationId}#${seq}`),
  }),

  recall_memory: async ({ useCases, scope, question }, step) => {
    const limit = limitOf(step);
    const { items } = await useCases.recall.search(scope, { text: question, limit });
    const said = (await useCases.memory.recall(scope, { limit: mostExplicit })).filter(
      ({ source, kind }) => source === 'user_explicit' && kind === 'semantic',
    );
    const ids = [...items.map(({ memory }) => memory.id), ...said.map(({ id }) => id)];
    return { memories: [...new Set(ids)].slice(0, limit) };
  },

  search_knowledge: async ({ useCases, scope, question, wish }, step) => {
    const limit = limitOf(step);
    const ask = (text: string) => searchKnowledge(useCases, scope, { text, limit });
    const found = [...(await ask(words[wish.reason])), ...(await ask(question))];
    return { passages: [...new Set(found.map(citationText))].slice(0, limit) };
  },

  draft_refund: async (work) => {
    const { useCases, run, texts } = work;
    const { body, cites, by } =
      texts.proposal ??
      unlessErased(
        await draftProposal(work).then((proposal) =>
          useCases.store.inTenant(run.tenant, ({ agentRuns }) => agentRuns.keepProposal(run.runId, proposal)),
        ),
      );
    return { amount: body.amount, reason: body.reason, cites, by };
  },

  propose_refund: async ({ useCases, run, texts, principal }, { id }) => {
    const { body } = unlessErased(texts.proposal ?? undefined);
    // An erasure waits for this transaction, and finds the refund then; or it was first, and there is no refund.
    const held = async ({ agentRuns }: Unit) => {
      if (!(await agentRuns.holdTexts(run.runId))) throw new CountersignError('agent_run_erased');
    };
    const refund = await requestRefund(useCases, principal, `${run.runId}:${id}`, body, { held });
    return { refundRunId: refund.runId, phase: refund.phase };
  },

  await_refund: async ({ useCases, run }) => {
    const proposed = outputOf(run.state, 'propose_refund', 'refundRunId');
    const refundRunId = proposed?.refundRunId ?? '';
    const refund = await useCases.store.inTenant(run.tenant, ({ runs }) => runs.find(refundRunId));
    if (!refund) throw new CountersignError('not_found', 'the refund is not there');
    if (!isFinal(refund.phase)) return 'waiting';
    const amount = refund.executed ? amountView(refund.executed.amount) : null;
    return { refundRunId, outcome: refund.phase, amount };
  },

  notify: async ({ useCases, run, principal, scope }, { id }) => {
    const ended = outputOf(run.state, 'await_refund', 'outcome');
    const proposed = outputOf(run.state, 'propose_refund', 'refundRunId');
    const message = {
      role: principal.kind === 'person' ? 'note' : 'assistant',
      text: outcomeText(ended),
      clientMessageId: `${run.runId}:${id}`,
      ...(proposed ? { runId: proposed.refundRunId } : {}),
    } as const;
    const thread = run.state.conversationId;
    const { items } = await appendTurns(useCases, principal, thread, { messages: [message] }, scope.owner);
    return { told: `thread:${thread}#${items[0]?.seq ?? 0}` };
  },
};

/**
 * The one payment that it is about: of those that the newest message with any names.
 * @throws CountersignError agent_needs_input
 */
function namedPayment(said: readonly string[]): string {
  for (const text of [...said].reverse()) {
    const { payments, reason } = readWish([text]);
    const last = payments.at(-1);
    if (last === undefined) continue;
    // Of two charges for one order, the second one goes back.
    if (payments.length === 1 || reason === 'duplicate') return last;
    throw new CountersignError('agent_needs_input', 'the conversation names several payments; say which one');
  }
  throw new CountersignError('agent_needs_input', 'the conversation names no payment, such as ch_… or pi_…');
}

function unlessErased(proposal: AgentProposal | undefined): AgentProposal {
  if (!proposal) throw new CountersignError('agent_run_erased');
  return proposal;
}

function limitOf(step: AgentStep): number {
  return 'limit' in step ? step.limit : 5;
}

/** What is told matches the true outcome (R19). */
function outcomeText(
  ended: Extract<AgentStepOutput, { readonly refundRunId: string; readonly outcome: string }> | undefined,
): string {
  if (ended === undefined) return 'Your request is with the people who decide about it.';
  if (ended.outcome === 'completed' && ended.amount)
    return `Your refund of ${ended.amount.value} ${ended.amount.currency} was paid.`;
  if (ended.outcome === 'rejected') return 'Your refund was looked at and not approved.';
  if (ended.outcome === 'expired') return 'Nobody decided about your refund in time; nothing was paid.';
  return 'Your refund was not made; nothing was paid.';
}
