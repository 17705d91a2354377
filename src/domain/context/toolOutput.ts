import type { Turn } from '../thread/turn';
import { cutText } from './facts';
import { bySeq, type TurnGroup } from './groups';

/** UTF-16 units of a tool's answer that are shown of it once it is not among the newest. */
const shownOfOlder = 800;
/** Groups at the end whose answers are shown in full. */
const inFull = 6;

/**
 * Shortens what tools have answered: an answer is left out where the same call was answered again later, and a long
 * older one is cut. Pending calls and those of current runs stay whole (R51); so does every call.
 */
export function pruneToolOutput(groups: readonly TurnGroup[]): TurnGroup[] {
  const newest = new Map<string, number>();
  for (const group of groups) {
    const call = callOf(group);
    if (call !== undefined) newest.set(nameOf(call), call.seq);
  }
  return groups.map((group, index) => {
    const call = callOf(group);
    if (group.kept || call === undefined) return group;
    const again = newest.get(nameOf(call)) ?? call.seq;
    const isNew = index >= groups.length - inFull;
    const prune = (turn: Turn): Turn => {
      if (turn.role !== 'tool_result') return turn;
      if (again > call.seq) return { ...turn, text: `(asked again and answered in turn ${again} or later)` };
      return isNew || turn.text.length <= shownOfOlder
        ? turn
        : { ...turn, text: cutText(turn.text, shownOfOlder) };
    };
    return { ...group, turns: group.turns.map(prune).sort(bySeq) };
  });
}

/** Of a call that has its result. */
function callOf({ turns }: TurnGroup): Turn | undefined {
  return turns.length > 1 ? turns.find(({ role }) => role === 'tool_call') : undefined;
}

function nameOf({ toolName, text }: Turn): string {
  return JSON.stringify([toolName, text]);
}
