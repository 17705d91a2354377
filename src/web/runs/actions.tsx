import type { Child } from 'hono/jsx';
import { holdsScope } from '../../domain/access/scopes';
import { reviewWords, sentence } from '../words';
import type { RunPageProps } from './runPage';

type ActionProps = Required<Pick<RunPageProps, 'inspection' | 'signedIn' | 'typed' | 'wrong'>>;

/** Everything that a person can safely do about a run; each is asked once more. */
export function Actions({ inspection, signedIn, typed, wrong }: ActionProps) {
  const { run, refusals } = inspection;
  const { key } = signedIn.principal;
  const cancels = refusals.cancel === null && holdsScope(key.scopes, ['refunds:propose']);
  if (!run.review && !cancels) return <></>;
  return (
    <section aria-labelledby="do-title" class="decide">
      <h2 id="do-title">What can be done</h2>
      {run.review && <Review {...{ inspection, signedIn, typed, wrong }} />}
      {cancels && (
        <form method="post" action={`/runs/${run.runId}/cancel`}>
          <input type="hidden" name="csrf" value={signedIn.csrf} />
          <div class="choice">
            <button class="danger">Cancel the refund…</button>
          </div>
        </form>
      )}
    </section>
  );
}

function Review({ inspection: { run, refusals }, signedIn, typed, wrong }: ActionProps) {
  const { review } = run;
  if (!review) return <></>;
  const refused = holdsScope(signedIn.principal.key.scopes, ['refunds:review'])
    ? refusals.review
    : 'your key has not the scope refunds:review';
  return (
    <div id="review">
      <p>{sentence(review.detail)}</p>
      {review.tried.length > 0 && (
        <ul>
          {review.tried.map((tried) => (
            <li>{sentence(tried)}</li>
          ))}
        </ul>
      )}
      {refused !== null ? (
        <p class="faint">{sentence(refused)}</p>
      ) : (
        <form method="post" action={`/runs/${run.runId}/review`} id="decide">
          <input type="hidden" name="csrf" value={signedIn.csrf} />
          <input type="hidden" name="round" value={String(review.round)} />
          {/* Enter in the refund's id means that button, never the first. */}
          {review.actions.includes('resolve_paid') && (
            <button name="action" value="resolve_paid" class="unseen" tabindex={-1} aria-hidden="true" />
          )}
          <p>
            <label for="comment">Note</label>
            <textarea id="comment" name="comment" rows={3} {...invalid(wrong === 'comment')}>
              {`\n${typed['comment'] ?? ''}`}
            </textarea>
          </p>
          {review.actions.map((action) => (
            <Choice id={action} legend={reviewWords[action][0]}>
              <p class="faint">{reviewWords[action][1]}</p>
              {action === 'resolve_paid' && (
                <>
                  <label for="refundId">The provider's refund</label>
                  <input
                    id="refundId"
                    name="refundId"
                    value={typed['refundId'] ?? ''}
                    placeholder="re_…"
                    size={24}
                    spellcheck={false}
                    {...invalid(wrong === 'refundId')}
                  />
                </>
              )}
              <button name="action" value={action} {...(action === 'fail' ? { class: 'danger' } : {})}>
                {reviewWords[action][0]}…
              </button>
            </Choice>
          ))}
        </form>
      )}
    </div>
  );
}

function Choice({ id, legend, children }: { id: string; legend: string; children?: Child }) {
  return (
    <fieldset class="choice" id={id}>
      <legend>{legend}</legend>
      {children}
    </fieldset>
  );
}

function invalid(isWrong: boolean) {
  return isWrong ? { 'aria-invalid': 'true' as const } : {};
}
