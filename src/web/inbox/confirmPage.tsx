import type { ApprovalReview } from '../../application/reviewApproval';
import type { DecisionBody } from '../../domain/approval/decision';
import { memoryAction } from '../../domain/refund/state';
import type { SignedIn, Typed } from '../context';
import { Page } from '../layout';
import { HiddenFields } from '../problems';
import { amountText, type Reader } from '../reader';
import { Field } from '../steps';
import { reasonWords } from '../words';
import { Changed } from './approvalParts';
import { reasonText, subjectText } from './subject';

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
  const { arguments: args } = approval;
  const edit = body.arguments ?? {};
  const before = subjectText(approval, reader);
  const amount = edit.amount ? amountText(edit.amount, reader) : before;
  const title = body.decision === 'edit' ? `Change to ${amount}?` : `Approve ${amount}?`;
  const { decision: _once, back: _back, ...fields } = typed;
  return (
    <Page title={title} signedIn={signedIn} kind="confirm">
      <h1>{title}</h1>
      <p>{whatHappens(review, body, reader)}</p>
      <dl class="what">
        {'key' in args ? (
          <>
            <Field name="Of whom">{args.owner}</Field>
            <Field name="What it says">{args.value}</Field>
          </>
        ) : (
          <>
            <Field name="Amount">
              <Changed now={amount} before={before} />
            </Field>
            <Field name="On payment">
              <code>{approval.target}</code>
            </Field>
            <Field name="Reason">
              <Changed
                now={edit.reason ? reasonWords[edit.reason] : reasonText(approval)}
                before={reasonText(approval)}
              />
            </Field>
          </>
        )}
        {body.comment !== undefined && <Field name="Your comment">{body.comment}</Field>}
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
    const what = subjectText(approval, reader);
    const then = approval.action === memoryAction ? 'is remembered from then on' : 'will be sent';
    return `This is the last vote that is needed: ${what} ${then}.`;
  }
  const from = stillFrom === null ? '' : `, one of them from ${stillFrom}`;
  return `This is vote ${votes.length + 1}; ${needed} are needed${from}. No money is sent yet.`;
}
