import type { ManyDecisionsBody } from '../domain/approval/manyDecisions';
import { CountersignError } from '../domain/errors';
import { isDatabaseOutage } from '../domain/outage';
import type { Principal } from '../ports/people';
import { decide, type DecisionOutcome } from './decide';
import { workerPatienceMs, type UseCases } from './dependencies';
import { refuseSensitive, refuseSensitiveIds } from './freeText';

/** What came of one of many decisions. */
export type TogetherOutcome = { readonly approvalId: string } & (
  DecisionOutcome | { readonly status: 'refused'; readonly error: CountersignError }
);

/** Decisions that are under way at once; each takes a connection of the pool while it reads and writes. */
const atOnce = 6;

interface Bounds {
  /** So long all of them together wait for workers, ms; what is left then is put on record, and re-delivered. */
  readonly waitMs: number;
  /** What has not begun by then is not begun, ms: an answer that comes too late for its caller tells nobody anything. */
  readonly beginMs: number;
}
const usualBounds: Bounds = { waitMs: 8_000, beginMs: 20_000 };

/**
 * One decision about many approvals, which is that of the single door for each, by itself: what stands in the way of one
 * stands in nobody else's, and the same call again answers as the first time.
 * @returns one outcome for each, in the order asked
 * @throws CountersignError sensitive_text, before anything is decided
 */
export async function decideMany(
  useCases: UseCases,
  principal: Principal,
  { items, ...shared }: ManyDecisionsBody,
  channel: string,
  onUnexpected: (error: unknown) => void,
  { waitMs, beginMs }: Bounds = usualBounds,
): Promise<TogetherOutcome[]> {
  refuseSensitive('comment', shared.comment);
  for (const { decisionId } of items) refuseSensitiveIds({ decisionId });
  const receivedAt = Date.now();
  const decideOne = async (item: (typeof items)[number]): Promise<TogetherOutcome> => {
    const { approvalId, ...named } = item;
    const spentMs = Date.now() - receivedAt;
    try {
      if (spentMs >= beginMs) throw notBegun();
      const patienceMs = Math.min(workerPatienceMs, waitMs - spentMs);
      const body = { ...shared, ...named };
      const receipt = { receivedAt, patienceMs };
      return { approvalId, ...(await decide(useCases, principal, approvalId, body, channel, receipt)) };
    } catch (error) {
      return { approvalId, status: 'refused', error: asRefusal(error, onUnexpected) };
    }
  };
  const outcomes: TogetherOutcome[] = [];
  const waiting = items.entries();
  const takeNext = async () => {
    for (const [place, item] of waiting) outcomes[place] = await decideOne(item);
  };
  await Promise.all(Array.from({ length: atOnce }, takeNext));
  return outcomes;
}

function notBegun(): CountersignError {
  return new CountersignError(
    'dependency_unavailable',
    'the others took too long; nothing was decided about this one: send it again',
  );
}

/** One that fails takes none of the others with it. */
function asRefusal(error: unknown, onUnexpected: (error: unknown) => void): CountersignError {
  if (error instanceof CountersignError) return error;
  onUnexpected(error);
  return new CountersignError(isDatabaseOutage(error) ? 'dependency_unavailable' : 'internal');
}
