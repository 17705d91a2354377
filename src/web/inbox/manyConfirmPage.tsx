import type { Child } from 'hono/jsx';
import type { ChosenItem, ChosenReview } from '../../application/reviewChosen';
import type { TogetherKind } from '../../domain/approval/manyDecisions';
import type { SignedIn, Typed } from '../context';
import { Page } from '../layout';
import { HiddenFields } from '../problems';
import { amountText, type Reader } from '../reader';
import { Changed } from './approvalParts';
import { boxOf } from './manyInput';
import { ManyTable, whyNot } from './manyTable';
import { Held } from './past';
import { RejectChoice } from './rejectChoice';
import { subjectText } from './subject';

export interface ManyConfirmProps {
  readonly kind: TogetherKind;
  readonly review: ChosenReview;
  readonly signedIn: SignedIn;
  readonly typed: Typed;
  readonly notice?: Child;
}

/** Everything that would be decided, as it is now, with what it comes to. Nothing is decided by coming here. */
export function ManyConfirmPage({ kind, review, signedIn, typed, notice }: ManyConfirmProps) {
  const { reader } = signedIn;
  const decided = review.items.filter(({ refusal }) => refusal === null);
  const leftOut = review.items.filter(({ refusal }) => refusal !== null);
  const sums = review.totals.map(({ sum }) => amountText(sum, reader)).join(' and ');
  const count = `${kind === 'approve' ? 'approve' : 'reject'} ${decided.length}`;
  const what = sums === '' ? count : `${count} for ${sums}`;
  const title = decided.length === 0 ? 'Nothing of this can be decided' : `${capital(what)}?`;
  return (
    <Page title={title} signedIn={signedIn} kind="confirm">
      <h1>{title}</h1>
      {notice}
      <Held brake={decided.find(({ approval }) => approval?.brake)?.approval?.brake} reader={reader} />
      <Totals kind={kind} review={review} reader={reader} />
      {leftOut.length > 0 && <LeftOut items={leftOut} reader={reader} />}
      {decided.length > 0 && (
        <>
          <h2>What is decided</h2>
          <ManyTable name="What is decided" items={decided} reader={reader} />
        </>
      )}
      <form method="post" action="/inbox/decisions" id="decide-many">
        <HiddenFields
          typed={{
            query: typed['query'] ?? '',
            chosen: decided.map(boxOf).join(' '),
            decision: kind,
          }}
          csrf={signedIn.csrf}
        />
        {decided.length > 0 && <Words kind={kind} typed={typed} />}
        {decided.length > 0 && (
          <>
            <button class={kind === 'approve' ? 'main' : 'danger'} name="confirmed" value="yes">
              Yes, {what}
            </button>{' '}
          </>
        )}
        <button name="back" value="yes" data-key="u">
          Back
        </button>
      </form>
    </Page>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function Totals({ kind, review, reader }: { kind: TogetherKind; review: ChosenReview; reader: Reader }) {
  return (
    <ul id="totals">
      {review.totals.map(({ count, sum, largest, marked, outliers, completed, sent }) => (
        <li>
          <strong>{amountText(sum, reader)}</strong> in {count} {count === 1 ? 'approval' : 'approvals'}; the
          largest {amountText(largest, reader)}
          {marked > 0 && `; ${marked} to stop at`}
          {outliers > 0 && `; ${outliers} far above the others`}.{' '}
          {kind === 'approve' ? sentBy(completed, amountText(sent, reader)) : 'Nothing of it will be sent.'}
        </li>
      ))}
    </ul>
  );
}

function sentBy(completed: number, sent: string): string {
  if (completed === 0) return 'Others have to agree too; nothing is sent yet.';
  return `Yours is the last vote for ${completed}: ${sent} will be sent.`;
}

/** Named, and not decided: they are not in the form. */
function LeftOut({ items, reader }: { items: readonly ChosenItem[]; reader: Reader }) {
  return (
    <section aria-labelledby="left-out-title" class="notice wrong" id="left-out">
      <h2 id="left-out-title">Left out: {items.length}</h2>
      <ul>
        {items.map(({ approvalId, approval, refusal, was }) => (
          <li>
            <a href={`/inbox/${approvalId}`} target="_blank">
              {approval ? (
                <Changed
                  now={subjectText(approval, reader)}
                  before={was ? amountText(was, reader) : undefined}
                />
              ) : (
                approvalId
              )}
            </a>
            {refusal && `: ${whyNot(refusal)}`}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Words({ kind, typed }: { kind: TogetherKind; typed: Typed }) {
  return (
    <>
      {kind === 'reject' && (
        <p>
          <RejectChoice typed={typed} />
        </p>
      )}
      <p>
        <label for="comment">Comment</label>
        <textarea id="comment" name="comment" rows={3} data-key="m">
          {`\n${typed['comment'] ?? ''}`}
        </textarea>
        <span class="faint">Stands with each of them.</span>
      </p>
    </>
  );
}
