import type { Turn, TurnRole } from '../domain/thread/turn';

export type ThreadRole = TurnRole;

/** One conversation of one owner. Times in ISO 8601, UTC. */
export interface Thread {
  readonly id: string;
  readonly ownerId: string;
  readonly title: string | null;
  readonly createdBy: string;
  /** How many messages it has. */
  readonly version: number;
  readonly createdAt: string;
  readonly lastTurnAt: string | null;
  readonly links: { readonly self: string; readonly messages: string; readonly context: string };
}

/** A message as it is appended. */
export interface NewMessage {
  readonly role: ThreadRole;
  /** Up to 20,000 characters. */
  readonly text: string;
  /** Your own name for it: sent again, it is the same message. One is made where it is missing. */
  readonly clientMessageId?: string | undefined;
  /** Pairs a tool call with its one result. */
  readonly toolCallId?: string | undefined;
  /** Of a tool call. */
  readonly toolName?: string | undefined;
  /** The refund that it is about; it has to belong to the thread. */
  readonly runId?: string | undefined;
}

/** A message as it stands in its thread; it never changes. */
export interface ThreadMessage extends Omit<Turn, 'at'> {
  readonly at: string;
}

export interface AppendedMessages {
  readonly items: readonly ThreadMessage[];
  readonly version: number;
}

export interface ContextManifestItem {
  readonly id: string;
  readonly section:
    'policy' | 'task' | 'approvals' | 'facts' | 'pinned' | 'memory' | 'knowledge' | 'summary' | 'turns';
  readonly included: boolean;
  readonly reason: 'mandatory' | 'fits' | 'section_cap' | 'budget' | 'duplicate' | 'older' | 'summarized';
  /** With labels and margin. */
  readonly tokens: number;
  readonly source: string | null;
  readonly score: number | null;
  /** In words, where that was asked for. */
  readonly why?: string | undefined;
}

/** What a model sees of a thread. */
export interface ThreadContext {
  readonly threadId: string;
  readonly version: number;
  readonly text: string;
  readonly tokens: number;
  readonly budget: number;
  readonly counter: { readonly name: string; readonly margin: number };
  readonly summary: {
    readonly upTo: number;
    readonly strategy: 'structured_summary' | 'model_summary';
  } | null;
  readonly manifest: readonly ContextManifestItem[];
}
