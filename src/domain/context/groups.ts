import type { Turn } from '../thread/turn';

/** Turns that stay together: a tool call with its result, or one turn by itself. */
export interface TurnGroup {
  readonly turns: readonly Turn[];
  /** A call without a result, or of a run that has not ended: never dropped (R51). */
  readonly kept: boolean;
}

/** Groups by their last turn, so that a late result brings its call along. */
export function groupTurns(turns: readonly Turn[], currentRuns: ReadonlySet<string>): TurnGroup[] {
  const calls = new Map<string, Turn[]>();
  for (const turn of turns) {
    if (turn.toolCallId === null) continue;
    calls.set(turn.toolCallId, [...(calls.get(turn.toolCallId) ?? []), turn]);
  }
  const groups = turns
    .filter((turn) => turn.toolCallId === null || calls.get(turn.toolCallId)?.at(-1) === turn)
    .map((turn) => (turn.toolCallId === null ? [turn] : (calls.get(turn.toolCallId) ?? [turn])));
  return groups.map((members) => ({ turns: members, kept: mustStay(members, currentRuns) }));
}

function mustStay(members: readonly Turn[], currentRuns: ReadonlySet<string>): boolean {
  const pending = members.length === 1 && members[0]?.role === 'tool_call';
  const ofCurrentRun = members.some(
    ({ toolCallId, runId }) => toolCallId !== null && runId !== null && currentRuns.has(runId),
  );
  return pending || ofCurrentRun;
}

export function bySeq(one: Turn, other: Turn): number {
  return one.seq - other.seq;
}
