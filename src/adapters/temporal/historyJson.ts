import { temporal } from '@temporalio/proto';
import type { History } from './pastExecutions';

const { History: HistoryMessage } = temporal.api.history.v1;

/** A history as plain JSON: enums by name, bytes in base64, large numbers as text. */
export interface JsonHistory {
  readonly events: readonly unknown[];
}

/**
 * The SDK's own `historyToJSON` finds its types only where npm installs one copy of protobufjs for all of its packages,
 * so the messages write themselves.
 */
export function historyToJson(history: History): JsonHistory {
  const { events = [] } = HistoryMessage.fromObject(history).toJSON() as Partial<JsonHistory>;
  return JSON.parse(JSON.stringify({ events }, inOrder)) as JsonHistory;
}

/** Temporal hands out the members of a map in any order. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @throws Error for what is no history */
export function historyFromJson(json: unknown): History {
  if (typeof json !== 'object' || json === null || !('events' in json) || !Array.isArray(json.events))
    throw new Error('no history of a workflow');
  return HistoryMessage.fromObject(json);
}
