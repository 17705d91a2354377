import { z } from 'zod';
import type { Authority } from '../approval/state';
import { externalId, freeText } from '../refund/request';

export const turnRoles = ['user', 'assistant', 'tool_call', 'tool_result', 'note'] as const;
export type TurnRole = (typeof turnRoles)[number];

/** UTF-16 units of one message. */
export const longestMessage = 20_000;
export const mostMessagesAtOnce = 50;
export const mostTurnsOfThread = 5_000;

const messageShape = z.strictObject({
  role: z.enum(turnRoles),
  /** What was said; a tool call's arguments and a tool's answer are JSON or text, as the tool has them. */
  text: freeText.max(longestMessage),
  /** The sender's own name for this message: sent again, it is the same message. */
  clientMessageId: externalId.optional(),
  /** Pairs a tool call with its one result. */
  toolCallId: externalId.optional(),
  /** Of a tool call; its result has the same. */
  toolName: externalId.optional(),
  /** The refund that this is about; it has to belong to the thread. */
  runId: externalId.optional(),
});

/** One message as it is appended. */
export const messageBody = messageShape.superRefine(({ role, text, toolCallId, toolName }, c) => {
  const mustHave = (field: string, isThere: boolean, wanted: boolean) => {
    if (isThere === wanted) return;
    const message = wanted ? `a ${role} needs it` : `a ${role} has none`;
    c.addIssue({ code: 'custom', path: [field], message });
  };
  mustHave('toolCallId', toolCallId !== undefined, role === 'tool_call' || role === 'tool_result');
  mustHave('toolName', toolName !== undefined, role === 'tool_call');
  if (text === '' && role !== 'tool_call' && role !== 'tool_result')
    c.addIssue({ code: 'custom', path: ['text'], message: 'it is empty' });
});
export type Message = z.infer<typeof messageBody>;

/** The body of `POST /v1/threads/{id}/messages`: all of them are appended, in this order, or none. */
export const appendBody = z.strictObject({
  messages: z.array(messageBody).min(1).max(mostMessagesAtOnce),
  /** The thread's version that the sender has seen; another one is a conflict. */
  expectedVersion: z.int().min(0).max(mostTurnsOfThread).optional(),
});
export type AppendBody = z.infer<typeof appendBody>;

/** One turn of a thread, as it was said; it never changes. */
export interface Turn {
  /** 1, 2, 3 … within its thread, without gaps. */
  readonly seq: number;
  readonly role: TurnRole;
  readonly text: string;
  /** The identity whose credential appended it. */
  readonly author: string;
  readonly clientMessageId: string | null;
  readonly toolCallId: string | null;
  readonly toolName: string | null;
  readonly runId: string | null;
  /** ms since the epoch. */
  readonly at: number;
}

const mayAppend: Readonly<Record<Authority['kind'], readonly TurnRole[]>> = {
  // A service vouches for what its user said. A model can't put words into somebody's mouth, nor a person into a model's.
  service: turnRoles,
  agent: ['assistant', 'tool_call', 'tool_result', 'note'],
  person: ['user', 'note'],
};

/** The roles among `messages` that this kind of identity can't append. */
export function rolesOutOfReach(kind: Authority['kind'], messages: readonly Message[]): TurnRole[] {
  return [...new Set(messages.map(({ role }) => role))].filter((role) => !mayAppend[kind].includes(role));
}

/** Whether `message` is what was appended as `turn` under the same clientMessageId. */
export function isSameMessage(message: Message, turn: Turn): boolean {
  return (
    message.role === turn.role &&
    message.text === turn.text &&
    (message.toolCallId ?? null) === turn.toolCallId &&
    (message.role === 'tool_result' || (message.toolName ?? null) === turn.toolName) &&
    (message.runId ?? null) === turn.runId
  );
}
