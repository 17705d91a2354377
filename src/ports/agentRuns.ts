import type { AgentRunStatus, AgentState } from '../domain/agent/state';
import type { RefundBody } from '../domain/refund/request';

/** What models were asked for one run. Cost in millionths of a US dollar. */
export interface ModelUsage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
}

/** What a run proposes, as it was drafted first: another attempt proposes the same (R1). */
export interface AgentProposal {
  readonly body: RefundBody;
  readonly cites: readonly string[];
  /** `rules`, or the model's name. */
  readonly by: string;
}

/** What stands in the words of persons; null once it was erased or swept. */
export interface AgentRunTexts {
  /** Whose conversation it is. */
  readonly owner: string;
  readonly goal: string;
  readonly onBehalfOf: string | null;
  readonly proposal: AgentProposal | null;
}

/** One agent run as the doors read it. Times in ms since the epoch. */
export interface AgentRun {
  readonly runId: string;
  readonly tenant: string;
  readonly fingerprint: string;
  readonly requester: string;
  /** The key that it was started with; it has to be good still when a refund is proposed. */
  readonly keyId: string;
  /** Counts every change of the state (R34). */
  readonly version: number;
  readonly state: AgentState;
  readonly texts: AgentRunTexts | null;
  readonly usage: ModelUsage;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewAgentRun = Pick<AgentRun, 'runId' | 'fingerprint' | 'requester' | 'keyId' | 'state'> &
  Pick<AgentRunTexts, 'owner' | 'goal' | 'onBehalfOf'>;

/** A list's place: after what was created then, and has that id. */
export interface AgentRunPosition {
  readonly createdAt: string;
  readonly runId: string;
}

export interface AgentRunFilter {
  readonly status?: AgentRunStatus;
  /** Only those that this person started, is behind, or whose conversation is his. */
  readonly seenBy?: string;
  readonly after?: AgentRunPosition;
  readonly limit: number;
}

export interface AgentRuns {
  /** Kept for good under its id, which comes from tenant and caller's key (R3). @returns false when it is taken */
  create(run: NewAgentRun): Promise<boolean>;
  find(runId: string): Promise<AgentRun | undefined>;
  /** Newest first. */
  list(filter: AgentRunFilter): Promise<{ items: AgentRun[]; next: AgentRunPosition | undefined }>;
  /** @returns false, and nothing is written, when its version is not `version` any more (R34) */
  save(runId: string, version: number, state: AgentState): Promise<boolean>;
  /** Keeps the first proposal of a run. @returns the one that is kept; undefined where its texts are gone */
  keepProposal(runId: string, proposal: AgentProposal): Promise<AgentProposal | undefined>;
  /** Keeps the texts of a run from being erased until this transaction ends. @returns false where they are gone */
  holdTexts(runId: string): Promise<boolean>;
  /** Runs that have not ended and whose texts are gone, which takes an erasure. */
  withoutTexts(): Promise<string[]>;
  addUsage(runId: string, usage: ModelUsage): Promise<void>;
  /** The agent run that proposed this refund. */
  ofRefund(refundRunId: string): Promise<string | undefined>;
}
