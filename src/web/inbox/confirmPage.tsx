import type { ApprovalReview } from '../../application/reviewApproval';
import type { DecisionBody } from '../../domain/approval/decision';
import type { SignedIn, Typed } from '../context';
import { Page } from '../layout';
import { HiddenFields } from '../problems';
import { amountText, type Reader } from '../reader';
import { reasonWords } from '../words';
import { Changed } from './approvalParts';

interface ConfirmProps {
  readonly review: ApprovalReview;
  readonly signedIn: SignedIn;
  readonly typed: Typed;
  readonly body: DecisionBody;
}

/** The exact thing once more, before it leads to money. Nothing is decided by coming here. */
export function ConfirmPage({ review, signedIn, typed, body }: ConfirmProps) {
  const { approval } = review;
  const { reader } = signedIn;
  const edit = body.arguments ?? {};
  const before = amountText(approval.arguments.amount, reader);
  const amount = amountText(edit.amount ?? approval.arguments.amount, reader);
  const title = body.decision === 'edit' ? `Change to ${amount}?` : `Approve ${amount}?`;
  const { decision: _once, back: _back, ...fields } = typed;
  return (
    <Page title={title} signedIn={signedIn} kind="confirm">
      <h1>{title}</h1>
      <p>{whatHappens(review, body, reader)}</p>
      <dl class="what">
        <div>
          <dt>Amount</dt>
          <dd>
            <Changed now={amount} before={before} />
          </dd>
        </div>
        <div>
          <dt>On payment</dt>
          <dd>
            <code>{approval.target}</code>
          </dd>
        </div>
        <div>
          <dt>Reason</dt>
          <dd>
            <Changed
              now={reasonWords[edit.reason ?? approval.reason]}
              before={reasonWords[approval.reason]}
            />
          </dd>
        </div>
        {body.comment !== undefined && (
          <div>
            <dt>Your comment</dt>
            <dd>{body.comment}</dd>
          </div>
        )}
      </dl>
      <form method="post" action={`/inbox/${approval.id}/decisions`}>
        <HiddenFields typed={{ ...fields, confirmed: 'yes' }} csrf={signedIn.csrf} />
        <button class="main" name="decision" value={body.decision} autofocus>
          {body.decision === 'edit' ? `Yes, change to ${amount}` : `Yes, approve ${amount}`}
        </button>{' '}
        <button name="back" value="yes" data-key="u">
          Back
        </button>
      </form>
    </Page>
  );
}

function whatHappens(
  { approval, completes, stillFrom }: ApprovalReview,
  body: DecisionBody,
  reader: Reader,
): string {
  const { votes, needed } = approval;
  if (body.decision === 'edit') {
    return `This makes a new revision: it is checked again, and earlier votes are void. Where it only lowers the amount it counts as your own vote, and once ${
      needed === 1 ? 'one has' : `${needed} have`
    } agreed the money is sent.`;
  }
  if (completes) {
    const amount = amountText(approval.arguments.amount, reader);
    return `This is the last vote that is needed: ${amount} will be sent.`;
  }
  const from = stillFrom === null ? '' : `, one of them from ${stillFrom}`;
  return `This is vote ${votes.length + 1}; ${needed} are needed${from}. No money is sent yet.`;
}
