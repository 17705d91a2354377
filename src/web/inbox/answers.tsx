import type { ApprovalReview } from '../../application/reviewApproval';
import { decisionKinds } from '../../domain/approval/message';
import type { CountersignError } from '../../domain/errors';
import type { SignedIn, Typed } from '../context';
import { Notice } from '../layout';
import { amountText } from '../reader';
import { When } from '../time';
import { doneWords, reasonWords, sentence, statusWords } from '../words';
import { headline } from './approvalPage';
import { Changed } from './approvalParts';
import { reasonText, subjectText } from './subject';

/** Says what came of a decision, by the address that its form leads to. */
export function DoneNotice({ done, review }: { done: string | undefined; review: ApprovalReview }) {
  if (done === 'recorded') {
    return (
      <Notice kind="done">
        <p>Your decision is on record. It takes effect as soon as a worker is up.</p>
      </Notice>
    );
  }
  const kind = decisionKinds.find((known) => known === done);
  if (kind === undefined) return <></>;
  return (
    <Notice kind="done">
      <p>
        Done: you {doneWords[kind]}. {headline(review)}
      </p>
    </Notice>
  );
}

/** A clear answer for a decision that was refused: what happened instead, and that nothing typed is lost. */
export function answerTo(error: CountersignError, typed: Typed, review: ApprovalReview, signedIn: SignedIn) {
  return (
    <Notice kind="wrong">
      {explain(error, typed, review, signedIn)}
      {review.approval.status === 'open' ? (
        <p>Nothing that you typed is lost.</p>
      ) : (
        <Written comment={typed['comment']} />
      )}
    </Notice>
  );
}

/** Where there is no form any more to keep it. */
function Written({ comment = '' }: { comment: string | undefined }) {
  if (comment.trim() === '') return <></>;
  return (
    <>
      <p>You had written:</p>
      <blockquote>{comment}</blockquote>
    </>
  );
}

function explain(error: CountersignError, typed: Typed, review: ApprovalReview, { reader }: SignedIn) {
  const { approval } = review;
  switch (error.code) {
    case 'decision_stale':
      return <Stale typed={typed} review={review} signedIn={{ reader }} />;
    case 'already_decided':
      return (
        <p>
          Decided elsewhere: {statusWords[approval.status].toLowerCase()}
          {approval.decidedBy && (
            <>
              {' '}
              by {approval.decidedBy.actor}, <When at={approval.decidedBy.at} reader={reader} />
            </>
          )}
          . Your decision has changed nothing.
        </p>
      );
    case 'approval_expired':
      return (
        <p>
          Too late: the deadline was <When at={approval.deadline} reader={reader} />. Your decision has
          changed nothing.
        </p>
      );
    case 'forbidden':
    case 'over_limit':
    case 'separation_of_duties':
    case 'insufficient_scope':
      return <p>You may not do that. {sentence(error.detail)}</p>;
    default:
      return <p>{sentence(error.detail)}</p>;
  }
}

/** What was on the screen, beside what is proposed now. */
function Stale({
  typed,
  review: { revisions, approval },
  signedIn: { reader },
}: {
  typed: Typed;
  review: ApprovalReview;
  signedIn: Pick<SignedIn, 'reader'>;
}) {
  const seen = revisions.find(({ revision }) => String(revision) === typed['revision']);
  return (
    <>
      <p>
        This changed while you were reading. Your decision was about revision {typed['revision'] ?? '?'}; it
        is revision {approval.revision} now
        {approval.revisionReason === null ? '' : `, ${approval.revisionReason}`}. Nothing was decided. Look at
        it again:
      </p>
      <ul>
        <li>
          Amount:{' '}
          <Changed
            now={subjectText(approval, reader)}
            before={seen && amountText(seen.arguments.amount, reader)}
          />
        </li>
        <li>
          Reason: <Changed now={reasonText(approval)} before={seen && reasonWords[seen.arguments.reason]} />
        </li>
        <li>
          Votes: {approval.votes.length} of {approval.needed}
        </li>
      </ul>
    </>
  );
}
