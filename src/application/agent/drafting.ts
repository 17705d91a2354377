import { checkDraft, type Citable, type DraftInput } from '../../domain/agent/draft';
import { draftByRules } from '../../domain/agent/draftByRules';
import { proposalBody } from '../../domain/agent/proposal';
import { outputOf } from '../../domain/agent/state';
import { CountersignError } from '../../domain/errors';
import { citationText } from '../../domain/knowledge/citation';
import { externalId } from '../../domain/refund/request';
import type { AgentProposal } from '../../ports/agentRuns';
import type { StoredPassage } from '../../ports/knowledge';
import type { Memory } from '../../ports/memory';
import type { Model } from '../../ports/model';
import { threadContext } from '../assembleContext';
import { refuseSensitive } from '../freeText';
import { readCitation, searchKnowledge } from '../knowledge';
import { openThread } from '../threads';
import type { LookUp } from './askModel';
import { draftByModel, searchInput } from './draftByModel';
import { spentOn } from './spentOn';
import type { AgentStepWork } from './stepWork';

/** What a model finds by one search of its own. */
const mostFound = 5;

/**
 * What the run proposes, checked and screened before anything of it is stored (R39, R44).
 * @throws CountersignError agent_needs_input, model_*, sensitive_text
 */
export async function draftProposal(work: AgentStepWork): Promise<AgentProposal> {
  const { useCases, run, texts, said, wish } = work;
  const { state, runId } = run;
  const payment = outputOf(state, 'look_up_order', 'remaining');
  if (!payment)
    throw new CountersignError('agent_plan_invalid', 'nothing was looked up to draft a refund of');
  const found = {
    ...{ runId, goal: texts.goal, payment, said: said.map(({ text }) => text) },
    passages: await passagesOf(work, outputOf(state, 'search_knowledge', 'passages')?.passages ?? []),
    memories: await memoriesOf(work, outputOf(state, 'recall_memory', 'memories')?.memories ?? []),
  };
  const { model } = useCases;
  const { draft, input } = model
    ? await drafted(work, model, found)
    : { draft: draftByRules(found), input: found };
  const checked = checkDraft(draft, input);
  refuseSensitive('explanation', checked.explanation);
  const by = model?.name ?? 'rules';
  const turns = outputOf(state, 'gather_evidence', 'turns')?.turns ?? [];
  const body = proposalBody(checked, input, {
    ...{ runId, by, turns, threadId: state.conversationId, orderId: wish.orders.at(-1) },
    ...{ onBehalfOf: texts.onBehalfOf ?? undefined, customerId: customerOf(work) },
  });
  return { body, cites: checked.cites, by };
}

/** The thread's owner is the customer, unless the caller talks to himself. */
function customerOf({ scope, run, texts }: AgentStepWork): string | undefined {
  const own = scope.owner === run.requester || scope.owner === texts.onBehalfOf;
  return own || !externalId.safeParse(scope.owner).success ? undefined : scope.owner;
}

/** What the model has found by itself may be cited too. */
async function drafted(work: AgentStepWork, model: Model, found: DraftInput) {
  const { useCases, run, principal, scope, signal } = work;
  const passages = [...found.passages];
  const memories = [...found.memories];
  const lookUps: LookUp<{ query: string }>[] = [
    {
      name: 'search_knowledge',
      description: 'Searches the handbook and other documents; answers with passages to cite',
      schema: searchInput,
      run: async ({ query: text }) => {
        const more = await searchKnowledge(useCases, scope, { text, limit: mostFound });
        return listed(
          passages,
          more.map((passage) => citablePassage(citationText(passage), passage)),
        );
      },
    },
    {
      name: 'recall_memory',
      description: 'Searches what is remembered of this customer; answers with memories to cite',
      schema: searchInput,
      run: async ({ query: text }) => {
        const { items } = await useCases.recall.search(scope, { text, limit: mostFound });
        return listed(
          memories,
          items.map(({ memory }) => citableMemory(memory)),
        );
      },
    },
  ];
  const thread = await openThread(useCases, principal, run.state.conversationId, scope.owner);
  const { text: context } = await threadContext(useCases, principal, thread, {
    budget: useCases.contextTokens,
    compaction: 'structured_summary',
    explain: false,
  });
  const spent = spentOn(useCases.store, run);
  const draft = await draftByModel(model, found, context, lookUps, signal, spent);
  return { draft, input: { ...found, passages, memories } };
}

/** Adds them to what is known, and says them. */
function listed(known: Citable[], more: readonly Citable[]): string {
  known.push(...more.filter(({ id }) => known.every((other) => other.id !== id)));
  return JSON.stringify(more);
}

/** Those that are there still as they were found. */
async function passagesOf(
  { useCases, scope }: AgentStepWork,
  citations: readonly string[],
): Promise<Citable[]> {
  const passages: Citable[] = [];
  for (const id of citations) {
    const passage = await readCitation(useCases, scope, id).catch(unlessGone);
    if (passage) passages.push(citablePassage(id, passage));
  }
  return passages;
}

async function memoriesOf({ useCases, scope }: AgentStepWork, ids: readonly string[]): Promise<Citable[]> {
  const memories: Citable[] = [];
  for (const id of ids) {
    const memory = await useCases.memory.find(scope, id);
    if (memory) memories.push(citableMemory(memory));
  }
  return memories;
}

function citablePassage(id: string, { document, headings, quote }: StoredPassage): Citable {
  return { id, label: [document, ...headings].join(' > '), text: quote };
}

function citableMemory({ id, source, key, value }: Memory): Citable {
  return { id, label: `remembered, ${source}`, text: `${key}: ${value}` };
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof CountersignError) || error.status >= 500) throw error;
}
