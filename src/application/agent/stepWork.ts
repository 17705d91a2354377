import { CountersignError } from '../../domain/errors';
import { readWish, type Wish } from '../../domain/agent/wish';
import { words } from '../../domain/agent/draftByRules';
import { cutText } from '../../domain/context/facts';
import type { MemoryScope } from '../../domain/memory/candidate';
import type { Turn } from '../../domain/thread/turn';
import type { AgentRun, AgentRunTexts } from '../../ports/agentRuns';
import type { Model } from '../../ports/model';
import type { Principal } from '../../ports/people';
import type { Store, Unit } from '../../ports/store';
import type { ContextUseCases } from '../assembleContext';
import type { UseCases } from '../dependencies';

export interface AgentUseCases extends UseCases, ContextUseCases {
  /** Without one, plans and drafts are made by rules. */
  readonly model?: Model;
  /** Tokens of the context that a model sees, labels and margin included. */
  readonly contextTokens: number;
}

/** What a step works on: the run as it is now, and what was said in its conversation. */
export interface AgentStepWork {
  readonly useCases: AgentUseCases;
  readonly run: AgentRun;
  readonly texts: AgentRunTexts;
  readonly principal: Principal;
  readonly scope: MemoryScope;
  /** The customer's own messages, oldest first. */
  readonly said: readonly Turn[];
  readonly wish: Wish;
  /** By what memory and documents are searched. */
  readonly question: string;
  readonly signal: AbortSignal;
}

/** Messages that are read, from the newest back. */
const mostTurns = 200;
const longestQuestion = 500;
/** A key that was rotated is followed to the one that took its place. */
const mostRotations = 10;

/** @throws CountersignError agent_run_erased where the words were erased; forbidden for somebody who may not act any more */
export async function workOf(
  useCases: AgentUseCases,
  run: AgentRun,
  signal: AbortSignal,
): Promise<AgentStepWork> {
  const { tenant, texts, state } = run;
  if (!texts) throw new CountersignError('agent_run_erased');
  const scope = { tenant, owner: texts.owner };
  const principal = await principalOf(useCases.store, run);
  const said = await useCases.store.inTenant(tenant, async ({ threads }) => {
    const thread = await threads.find(scope.owner, state.conversationId);
    const after = Math.max(0, (thread?.version ?? 0) - mostTurns);
    const turns = await threads.turns(scope.owner, state.conversationId, { after, limit: mostTurns });
    return turns.filter(({ role }) => role === 'user');
  });
  const wish = readWish([texts.goal, ...said.map(({ text }) => text)]);
  const asked = cutText(said.at(-1)?.text ?? texts.goal, longestQuestion);
  const question = `${words[wish.reason]} ${asked}`;
  return { useCases, run, texts, principal, scope, said, wish, question, signal };
}

/** Whoever started the run, with what he may do today; nothing is done in the name of somebody whose key has ended. */
async function principalOf(store: Store, { tenant, requester, keyId }: AgentRun): Promise<Principal> {
  return store.inTenant(tenant, async (unit) => {
    const authority = await unit.people.find(requester);
    if (!authority || !(await keyIsGood(unit, keyId)))
      throw new CountersignError(
        'forbidden',
        'whoever started this run, or the key for it, is not active any more',
      );
    return { ...authority, displayName: authority.id, key: { id: keyId, scopes: [], expiresAt: null } };
  });
}

async function keyIsGood({ apiKeys }: Unit, keyId: string): Promise<boolean> {
  let id = keyId;
  for (let step = 0; step < mostRotations; step += 1) {
    const key = await apiKeys.find(id);
    if (key?.state === 'active') return true;
    if (!key?.replacedBy) return false;
    id = key.replacedBy;
  }
  return false;
}
