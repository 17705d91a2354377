import type { DifferenceView } from '../../application/reconciliationViews';
import { holdsScope } from '../../domain/access/scopes';
import type { SignedIn } from '../context';
import type { Again } from '../forms';
import { Page } from '../layout';
import { leadsTo } from '../navigation';
import { Field } from '../steps';
import { Head } from '../table';
import { When } from '../time';
import { spaced } from '../words';
import type { Rights } from './listPage';
import { differenceStatusWords, differenceWords } from './words';

interface DifferenceProps extends Partial<Again> {
  readonly signedIn: SignedIn;
  readonly difference: DifferenceView;
  readonly rights: Rights;
}

export function DifferencePage({ signedIn, difference, rights, typed = {}, notice, error }: DifferenceProps) {
  const { reader, principal } = signedIn;
  const { kind, status, paymentId, refundId, runId, explanation, dismissedBy, comment } = difference;
  const { name, means, todo } = differenceWords[kind];
  return (
    <Page title={name} signedIn={signedIn} area="reconciliation">
      <nav aria-label="Back">
        <a href="/reconciliation" data-key="u">
          All differences
        </a>
      </nav>
      {notice}
      <article>
        <h1>{name}</h1>
        <p>{explanation}</p>
        <h2>What it means</h2>
        <p>{means}</p>
        <h2>What to do</h2>
        <p>{todo}</p>
        <Sides difference={difference} />
        <dl class="what">
          <Field name="Status">
            {differenceStatusWords[status]}
            {dismissedBy !== null && ` by ${dismissedBy}`}
            {comment !== null && <blockquote class="said">{comment}</blockquote>}
          </Field>
          <Field name="Payment">
            {leadsTo(principal, 'runs') ? (
              <a href={`/runs?payment=${encodeURIComponent(paymentId)}`}>{paymentId}</a>
            ) : (
              paymentId
            )}
          </Field>
          {refundId !== null && <Field name="Refund">{refundId}</Field>}
          {runId !== null && (
            <Field name="Run">
              {leadsTo(principal, 'runs') ? <a href={`/runs/${runId}`}>{runId}</a> : runId}
            </Field>
          )}
          <Field name="First seen">
            <When at={difference.firstSeenAt} reader={reader} />
          </Field>
          <Field name="Last seen">
            <When at={difference.lastSeenAt} reader={reader} />
          </Field>
        </dl>
        {status === 'open' && <Dismiss {...{ signedIn, difference, rights, typed, error }} />}
      </article>
    </Page>
  );
}

function Sides({ difference: { ours, theirs } }: { difference: DifferenceView }) {
  const names = [...new Set([...Object.keys(ours ?? {}), ...Object.keys(theirs ?? {})])];
  if (names.length === 0) return <></>;
  return (
    <table>
      <caption class="unseen">Both sides</caption>
      <Head columns={['What', 'Here', 'At the provider']} />
      <tbody>
        {names.map((name) => (
          <tr>
            <th scope="row">{spaced(name)}</th>
            <td>{ours?.[name] ?? 'nothing'}</td>
            <td>{theirs?.[name] ?? 'nothing'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Dismiss({
  signedIn: { csrf, principal },
  difference: { id },
  rights,
  typed = {},
  error,
}: DifferenceProps) {
  if (!rights.dismisses || !holdsScope(principal.key.scopes, ['reconciliation:run'])) {
    return (
      <p class="faint">
        Somebody of {rights.reviewGroup} settles this, and not whoever asked for the refund.
      </p>
    );
  }
  return (
    <section aria-labelledby="dismiss-title" class="decide">
      <h2 id="dismiss-title">Dismiss</h2>
      <form method="post" action={`/reconciliation/${id}/dismiss`}>
        <input type="hidden" name="csrf" value={csrf} />
        <p>
          <label for="comment">What was found, and why it needs nothing more</label>
          <textarea
            id="comment"
            name="comment"
            rows={3}
            required
            {...(error?.status === 422 ? { 'aria-invalid': 'true' } : {})}
          >
            {`\n${typed['comment'] ?? ''}`}
          </textarea>
        </p>
        <button>Dismiss it</button> <span class="faint">No money moves; other figures open it again.</span>
      </form>
    </section>
  );
}
