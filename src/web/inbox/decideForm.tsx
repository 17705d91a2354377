import type { Child } from 'hono/jsx';
import type { ApprovalReview } from '../../application/reviewApproval';
import type { DecisionKind } from '../../domain/approval/message';
import { exponentOfPaymentCurrency } from '../../domain/money/currencies';
import { refundReasons } from '../../domain/refund/request';
import type { SignedIn, Typed } from '../context';
import { amountText } from '../reader';
import { reasonWords, sentence } from '../words';
import type { fieldOf } from './decisionInput';
import { RejectChoice } from './rejectChoice';
import { subjectText } from './subject';

export interface FormProps {
  readonly review: ApprovalReview;
  readonly signedIn: SignedIn;
  readonly typed: Typed;
  /** Where the last try went wrong. */
  readonly wrong?: { readonly field: ReturnType<typeof fieldOf>; readonly says: string } | undefined;
}

/**
 * One form for everything that can be done: whatever is pressed, all that was typed comes back. It names the revision
 * that it shows by hash, so what is decided is what was read.
 */
export function DecideForm({ review, signedIn, typed, wrong }: FormProps) {
  const { approval, refusals } = review;
  if (approval.status !== 'open') return <></>;
  const may = (kind: DecisionKind) => refusals[kind] === null;
  const questions = approval.infoRequests.filter(({ open }) => open);
  const decides = may('approve') || may('edit') || may('reject');
  return (
    <section aria-labelledby="decide-title" class="decide">
      <h2 id="decide-title">Decide</h2>
      {!decides && (
        <p class="faint" id="may-not">
          {refusals.approve !== null && sentence(refusals.approve)}
        </p>
      )}
      <form method="post" action={`/inbox/${approval.id}/decisions`} id="decide">
        <input type="hidden" name="csrf" value={signedIn.csrf} />
        <input type="hidden" name="proposalHash" value={approval.proposalHash} />
        <input type="hidden" name="revision" value={String(approval.revision)} />
        <Shown approval={approval} />
        <input type="hidden" name="evidenceSeen" value={approval.evidence.map(({ id }) => id).join(' ')} />
        {/* Enter in the amount means the change, never the approval. */}
        {may('edit') && (
          <button name="decision" value="edit" class="unseen" tabindex={-1} aria-hidden="true" />
        )}

        <p>
          <label for="comment">Comment</label>
          <textarea id="comment" name="comment" rows={3} data-key="m" {...wrongAt(wrong, 'comment')}>
            {`\n${typed['comment'] ?? ''}`}
          </textarea>
          <span class="faint">
            Goes with whatever you choose. A question or an answer is nothing without it.
          </span>
          <Wrong wrong={wrong} field="comment" />
        </p>

        {may('approve') && !review.voted && (
          <div class="choice">
            <button name="decision" value="approve" class="main" id="approve" data-key="a">
              Approve {subjectText(approval, signedIn.reader)}…
            </button>
            {review.completes && <span class="faint">Yours is the last vote that is needed.</span>}
          </div>
        )}
        {review.voted && <p class="faint">You have approved this revision.</p>}
        {may('edit') && <EditFields review={review} signedIn={signedIn} typed={typed} wrong={wrong} />}
        {may('reject') && (
          <Choice id="reject" label="Reject">
            <RejectChoice typed={typed} keyed="r" />
            <Press kind="reject" danger>
              Reject
            </Press>
          </Choice>
        )}
        {may('answer_info') && questions.length > 0 && (
          <Choice id="answer" label="Answer">
            <label for="questionId">Which question</label>
            <select id="questionId" name="questionId">
              {questions.map(({ id, by, question }) => (
                <option value={id} selected={typed['questionId'] === id}>
                  {by}: {question.slice(0, 80)}
                </option>
              ))}
            </select>
            <Press kind="answer_info">Answer with the comment</Press>
          </Choice>
        )}
        <div class="choice" id="claim">
          {may('claim') && approval.claim?.by !== signedIn.principal.id && (
            <Press kind="claim" keyed="c">
              Claim
            </Press>
          )}
          {may('release') && approval.claim?.by === signedIn.principal.id && (
            <Press kind="release" keyed="c">
              Release
            </Press>
          )}
          {may('request_info') && <Press kind="request_info">Ask this question</Press>}
          {may('comment') && <Press kind="comment">Only comment</Press>}
          {may('escalate') && approval.policy.escalatedTo.length === 0 && (
            <Press kind="escalate">Escalate</Press>
          )}
          {(review.voted || approval.delegations.some(({ from }) => from === signedIn.principal.id)) && (
            <Press kind="withdraw">Take back what you gave</Press>
          )}
        </div>
        {may('delegate') && review.recipients.length > 0 && !review.voted && (
          <Choice id="delegate" label="Hand over">
            <label for="to">Your say to</label>
            <select id="to" name="to">
              {review.recipients.map(({ id, displayName }) => (
                <option value={id} selected={typed['to'] === id}>
                  {displayName}
                </option>
              ))}
            </select>
            <Press kind="delegate">Hand over</Press>
            <Wrong wrong={wrong} field="to" />
          </Choice>
        )}
      </form>
    </section>
  );
}

/** What an edit is compared with. */
function Shown({ approval: { arguments: args } }: Pick<ApprovalReview, 'approval'>) {
  if (!('amount' in args)) return <></>;
  return (
    <>
      <input type="hidden" name="shownAmount" value={args.amount.value} />
      <input type="hidden" name="shownReason" value={args.reason} />
    </>
  );
}

function EditFields({ review, signedIn, typed, wrong }: FormProps) {
  const { approval, most } = review;
  const { arguments: args } = approval;
  if (!('amount' in args) || most === null) return <></>;
  const { value, currency } = args.amount;
  return (
    <Choice id="edit" label="Change it">
      <label for="amount">Amount, {currency}</label>
      <input
        id="amount"
        name="amount"
        inputmode="decimal"
        autocomplete="off"
        size={10}
        value={typed['amount'] ?? value}
        data-key="e"
        data-amount
        data-exponent={String(exponentOfPaymentCurrency(currency) ?? 2)}
        data-most={most.value}
        data-now={value}
        data-currency={currency}
        aria-describedby="amount-hint amount-wrong"
        {...(wrong?.field === 'amount' ? { 'aria-invalid': 'true' } : {})}
      />
      <label for="reason">Reason</label>
      <select id="reason" name="reason">
        {refundReasons.map((reason) => (
          <option value={reason} selected={(typed['reason'] ?? approval.reason) === reason}>
            {reasonWords[reason]}
          </option>
        ))}
      </select>
      <Press kind="edit">Change…</Press>
      <span id="amount-hint" class="faint hint" role="status">
        At most {amountText(most, signedIn.reader)}. To lower it counts as your vote.
      </span>
      <span id="amount-wrong" class="wrong-text hint">
        {wrong?.field === 'amount' ? sentence(wrong.says) : ''}
      </span>
    </Choice>
  );
}

function Choice({ id, label, children }: { id: string; label: string; children?: Child }) {
  return (
    <fieldset class="choice" id={id}>
      <legend>{label}</legend>
      {children}
    </fieldset>
  );
}

function Press({
  kind,
  keyed,
  danger,
  children,
}: {
  kind: DecisionKind;
  keyed?: string;
  danger?: boolean;
  children?: Child;
}) {
  return (
    <button
      name="decision"
      value={kind}
      {...(keyed === undefined ? {} : { 'data-key': keyed })}
      {...(danger === true ? { class: 'danger' } : {})}
    >
      {children}
    </button>
  );
}

function wrongAt(wrong: FormProps['wrong'], field: string) {
  return wrong?.field === field ? { 'aria-invalid': 'true', 'aria-describedby': `${field}-wrong` } : {};
}

function Wrong({ wrong, field }: { wrong: FormProps['wrong']; field: string }) {
  if (wrong?.field !== field) return <></>;
  return (
    <span class="wrong-text" id={`${field}-wrong`}>
      {sentence(wrong.says)}
    </span>
  );
}
