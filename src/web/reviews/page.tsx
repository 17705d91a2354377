import type { RefundView } from '../../application/views';
import type { InboxCounts, InboxDay } from '../../ports/inbox';
import type { Asked } from '../asked';
import type { SignedIn } from '../context';
import { countText, Page } from '../layout';
import { Paging } from '../paging';
import { amountText } from '../reader';
import { Age } from '../time';
import { reviewWords, sentence } from '../words';
import { DaysChart } from './daysChart';

interface ReviewsProps {
  readonly signedIn: SignedIn;
  readonly asked: Asked;
  readonly listed: { readonly items: readonly RefundView[]; readonly nextCursor: string | null };
  /** Undefined for whoever may not see the inbox. */
  readonly keepingUp: { readonly counts: InboxCounts; readonly days: readonly InboxDay[] } | undefined;
  /** Agent runs that need a person, of those that he may see; undefined where he may see none. */
  readonly agentRuns: { readonly open: number; readonly countedTo: number } | undefined;
}

export function ReviewsPage({ signedIn, asked, listed, keepingUp, agentRuns }: ReviewsProps) {
  const { reader } = signedIn;
  return (
    <Page title="Reviews" signedIn={signedIn} area="reviews">
      <h1>What needs a person</h1>
      <p class="counts">
        {keepingUp && (
          <>
            <a href="/inbox">
              <strong>{countText(keepingUp.counts)}</strong> waiting for a decision
            </a>
            <a href="/inbox?due_in=24h&amp;sort=deadline">
              <strong>{keepingUp.counts.dueWithin24h}</strong> due within 24 h
            </a>
          </>
        )}
        {agentRuns && (
          <a href="/agents?status=needs_review">
            <strong>{countText(agentRuns)}</strong> waiting in agent runs
          </a>
        )}
      </p>
      <section aria-labelledby="runs-title">
        <h2 id="runs-title">Refunds that can't go on by themselves</h2>
        {listed.items.length === 0 ? (
          <p class="empty">No refund needs a review.</p>
        ) : (
          <ul class="sheets">
            {listed.items.map((run) => (
              <li>
                <article aria-labelledby={`of-${run.runId}`}>
                  <h3 id={`of-${run.runId}`}>
                    <a href={`/runs/${run.runId}`}>{amountText(run.arguments.amount, reader)}</a>
                  </h3>
                  {run.review && (
                    <>
                      <p>{sentence(run.review.detail)}</p>
                      <p class="faint">
                        Since <Age at={run.review.since} reader={reader} />. Asked for by {run.requester}, on{' '}
                        {run.paymentId}.
                      </p>
                      <p>
                        {run.review.actions.map((action) => (
                          <span class="tag">{reviewWords[action][0]}</span>
                        ))}
                      </p>
                    </>
                  )}
                </article>
              </li>
            ))}
          </ul>
        )}
        <Paging path="/reviews" of="reviews" asked={asked} nextCursor={listed.nextCursor} />
      </section>
      {keepingUp && <DaysChart days={keepingUp.days} reader={reader} />}
    </Page>
  );
}
