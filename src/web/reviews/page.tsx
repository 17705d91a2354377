import type { RefundView } from '../../application/views';
import type { InboxCounts, InboxDay } from '../../ports/inbox';
import { countText, Page, Wrong } from '../layout';
import { LiveList } from '../liveList';
import type { ListProps } from '../liveListRoutes';
import { amountText, type Reader } from '../reader';
import { Age } from '../time';
import { reviewWords, sentence } from '../words';
import { DaysChart } from './daysChart';

type ReviewsProps = ListProps<{
  readonly items: readonly RefundView[];
  readonly nextCursor: string | null;
  /** Undefined for whoever may not see the inbox. */
  readonly keepingUp: { readonly counts: InboxCounts; readonly days: readonly InboxDay[] } | undefined;
  /** Agent runs that need a person, of those that he may see; undefined where he may see none. */
  readonly agentRuns: { readonly open: number; readonly countedTo: number } | undefined;
}>;

export function ReviewsPage({ signedIn, asked, listed, wrong }: ReviewsProps) {
  const { reader } = signedIn;
  return (
    <Page title="Reviews" signedIn={signedIn} area="reviews">
      <h1>What needs a person</h1>
      <Wrong says={wrong} />
      {listed && (
        <>
          <Counts {...listed} />
          <section aria-labelledby="runs-title">
            <h2 id="runs-title">Refunds that can't go on by themselves</h2>
            <LiveList
              {...{ asked, listed }}
              path="/reviews"
              of="reviews"
              gone="It needs no review any more."
              none={<p>No refund needs a review.</p>}
              still
            >
              <ul class="sheets" data-rows>
                {listed.items.map((run) => (
                  <Sheet run={run} reader={reader} />
                ))}
              </ul>
            </LiveList>
          </section>
          {listed.keepingUp && <DaysChart days={listed.keepingUp.days} reader={reader} />}
        </>
      )}
    </Page>
  );
}

function Counts({ keepingUp, agentRuns }: NonNullable<ReviewsProps['listed']>) {
  return (
    <p id="counts" class="counts" data-live>
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
  );
}

function Sheet({ run, reader }: { run: RefundView; reader: Reader }) {
  return (
    <li data-row={run.runId}>
      <article aria-labelledby={`of-${run.runId}`}>
        <h3 id={`of-${run.runId}`}>
          <a href={`/runs/${run.runId}`} data-open>
            {amountText(run.arguments.amount, reader)}
          </a>
        </h3>
        {run.review && (
          <>
            <p>{sentence(run.review.detail)}</p>
            <p class="faint" data-outcome>
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
  );
}
