import { errorCatalogue, type ErrorCode } from '../src/domain/errors';
import type { Ordered } from '../activities/applyReview';
import type { ReviewAction } from '../src/domain/refund/review';
import { effectKey } from '../src/domain/steps';
import type { Desk } from './desk';
import { moneyOf } from './money';
import { durably, quick } from './steps';

const firstLookMs = 15 * 60_000;
const longestLookMs = 6 * 3_600_000;

/** Whether the catalogue wants a person to look, instead of the run ending. */
export function reviewed(code: ErrorCode): boolean {
  return errorCatalogue[code].retry === 'ask_person';
}

export interface ReviewCause {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly tried: readonly string[];
  readonly actions?: readonly ReviewAction[];
}

/** What a review came to: a person's order, or time to look again by itself (also when the run is cancelled). */
export type Settled = Exclude<Ordered, { kind: 'refused' }> | { readonly kind: 'look_again' };

/**
 * Shows a person what is wrong, what was tried and what he can do, and waits. Without an order the run looks again by
 * itself, ever more rarely up to every six hours: it never gives up, and a cause that has gone needs nobody.
 */
export async function awaitReview(desk: Desk, cause: ReviewCause): Promise<Settled> {
  const { tenant, runId } = desk.input;
  desk.reviews += 1;
  const { code, detail, tried, actions = ['retry', 'resolve_paid', 'fail'] } = cause;
  await durably(() =>
    quick.flagForReview({
      tenant,
      runId,
      code,
      detail,
      tried,
      actions,
      round: desk.reviews,
      epoch: desk.epoch,
      now: Date.now(),
    }),
  );
  desk.enter('needs_review', `a person: ${detail}`);
  for (;;) {
    const order = await desk.awaitOrder(Math.min(firstLookMs * 2 ** (desk.reviews - 1), longestLookMs));
    if (!order) return { kind: 'look_again' };
    const ordered = await durably(() =>
      quick.applyReview({
        tenant,
        runId,
        orderId: order.orderId,
        paymentId: desk.state.target,
        amount: moneyOf(desk).amount,
        actions,
        effectKey: effectKey(runId, 'issue_refund', desk.round),
        epoch: desk.epoch,
      }),
    );
    if (ordered.kind !== 'refused') {
      order.answer({ accepted: true });
      return ordered;
    }
    order.answer(ordered.answer);
  }
}
