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
  const plain = HistoryMessage.fromObject(history).toJSON() as Partial<JsonHistory>;
  return JSON.parse(JSON.stringify({ events: plain.events ?? [] })) as JsonHistory;
}

/** @throws Error for what is no history */
export function historyFromJson(json: unknown): History {
  if (typeof json !== 'object' || json === null || !('events' in json) || !Array.isArray(json.events))
    throw new Error('no history of a workflow');
  return HistoryMessage.fromObject(json);
}
