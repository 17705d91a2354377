import { CountersignError } from '../domain/errors';
import { factsIn } from '../domain/context/facts';
import {
  isSameMessage,
  mostTurnsOfThread,
  rolesOutOfReach,
  type AppendBody,
  type Message,
  type Turn,
} from '../domain/thread/turn';
import type { Principal } from '../ports/people';
import type { Store, Unit } from '../ports/store';
import type { NewTurn, Thread } from '../ports/threads';
import { refuseSensitive, refuseSensitiveIds } from './freeText';
import { scopeOfThread, turnView, type TurnView } from './threads';

/**
 * Appends messages to a thread, all or none, and answers with them as they stand there. What was appended before under
 * the same clientMessageId is answered as it is, and not appended again.
 * @throws CountersignError not_found, sensitive_text, invalid_request, tool_call_unpaired; forbidden for a role that
 *   this identity can't speak in; version_conflict (details: version), message_conflict, thread_full
 */
export async function appendTurns(
  { store }: { readonly store: Store },
  principal: Principal,
  id: string,
  { messages, expectedVersion }: AppendBody,
  owner?: string,
): Promise<{ readonly items: TurnView[]; readonly version: number }> {
  const scope = scopeOfThread(principal, owner);
  refuseSensitiveMessages(messages);
  return store.inTenant(scope.tenant, async (unit) => {
    const thread = await unit.threads.lock(scope.owner, id);
    if (!thread) throw new CountersignError('not_found');
    const known = await unit.threads.named(scope.owner, id, {
      clientMessageIds: messages.flatMap(({ clientMessageId }) => clientMessageId ?? []),
      toolCallIds: messages.flatMap(({ toolCallId }) => toolCallId ?? []),
    });
    const earlier = messages.map((message) => earlierOf(message, known));
    const fresh = messages.filter((_, index) => earlier[index] === undefined);
    const turns = pairedTurns(fresh, known, principal.id);
    await checkRuns(unit, id, fresh);
    refuseRoles(principal, fresh);
    refuseChanged(messages, earlier);
    if (fresh.length > 0) checkVersion(thread, expectedVersion, fresh.length);
    const appended = await unit.threads.append(thread, turns);
    const rest = appended[Symbol.iterator]();
    return {
      items: earlier.map((turn) => turnView(turn ?? (rest.next().value as Turn))),
      version: thread.version + appended.length,
    };
  });
}

/** Before anything is looked up: refused text gets no further than this (R44). */
function refuseSensitiveMessages(messages: readonly Message[]): void {
  messages.forEach(({ text, clientMessageId, toolCallId, toolName, runId }, index) => {
    const at = `messages.${index}`;
    refuseSensitive(`${at}.text`, text);
    refuseSensitiveIds({
      [`${at}.clientMessageId`]: clientMessageId,
      [`${at}.toolCallId`]: toolCallId,
      [`${at}.toolName`]: toolName,
      [`${at}.runId`]: runId,
    });
  });
}

function earlierOf({ clientMessageId }: Message, known: readonly Turn[]): Turn | undefined {
  if (clientMessageId === undefined) return undefined;
  return known.find((turn) => turn.clientMessageId === clientMessageId);
}

/** Every result with the name of its call. @throws CountersignError tool_call_unpaired (R51) */
function pairedTurns(fresh: readonly Message[], known: readonly Turn[], author: string): NewTurn[] {
  const calls = new Map<string, { name: string | null; answered: boolean }>();
  for (const { role, toolCallId, toolName } of known) {
    if (toolCallId === null) continue;
    const answered = role === 'tool_result' || calls.get(toolCallId)?.answered === true;
    calls.set(toolCallId, { name: toolName, answered });
  }
  return fresh.map(({ role, text, clientMessageId, toolCallId, toolName, runId }) => {
    let name = toolName ?? null;
    if (toolCallId !== undefined) {
      const call = calls.get(toolCallId);
      const fits = role === 'tool_call' ? call === undefined : call?.answered === false;
      if (!fits) throw new CountersignError('tool_call_unpaired');
      name = call?.name ?? name;
      calls.set(toolCallId, { name, answered: role === 'tool_result' });
    }
    return {
      role,
      text,
      author,
      clientMessageId: clientMessageId ?? null,
      toolCallId: toolCallId ?? null,
      toolName: name,
      runId: runId ?? null,
      mentions: factsIn(text).map((fact) => fact.text),
    };
  });
}

/** @throws CountersignError invalid_request for a run that isn't of this thread, wherever else it may be */
async function checkRuns({ runs }: Unit, threadId: string, messages: readonly Message[]): Promise<void> {
  for (const runId of new Set(messages.flatMap((message) => message.runId ?? []))) {
    const run = await runs.find(runId);
    if (run?.request.threadId === threadId) continue;
    const issue = { path: 'messages.runId', message: 'no refund of this thread' };
    throw new CountersignError('invalid_request', `${issue.path}: ${issue.message}`, { issues: [issue] });
  }
}

function refuseRoles({ kind }: Principal, messages: readonly Message[]): void {
  const [role] = rolesOutOfReach(kind, messages);
  if (role === undefined) return;
  throw new CountersignError('forbidden', `${kind === 'agent' ? 'an' : 'a'} ${kind} appends no ${role}`);
}

function refuseChanged(messages: readonly Message[], earlier: readonly (Turn | undefined)[]): void {
  const names = messages.flatMap(({ clientMessageId }) => clientMessageId ?? []);
  const changed = earlier.some((turn, index) => {
    const message = messages[index];
    return turn !== undefined && message !== undefined && !isSameMessage(message, turn);
  });
  if (changed || new Set(names).size < names.length) throw new CountersignError('message_conflict');
}

function checkVersion({ version }: Thread, expected: number | undefined, more: number): void {
  if (expected !== undefined && expected !== version)
    throw new CountersignError('version_conflict', undefined, { version });
  if (version + more > mostTurnsOfThread) throw new CountersignError('thread_full');
}
