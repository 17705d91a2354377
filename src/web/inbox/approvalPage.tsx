import type { Child } from 'hono/jsx';
import type { ApprovalReview } from '../../application/reviewApproval';
import type { SignedIn, Typed } from '../context';
import { Page } from '../layout';
import { amountText } from '../reader';
import { Field } from '../steps';
import { When } from '../time';
import { riskWords, statusWords } from '../words';
import { Held, Past } from './past';
import { reasonText, subjectText } from './subject';
import { DecideForm, type FormProps } from './decideForm';
import { Conversation, Evidence, Facts, Related, Revisions, Timeline } from './approvalParts';

export interface ApprovalPageProps {
  readonly review: ApprovalReview;
  readonly signedIn: SignedIn;
  readonly digest: string;
  readonly waiting?: { readonly open: number; readonly countedTo: number };
  readonly temporalUrl?: string | undefined;
  readonly typed?: Typed;
  readonly notice?: Child;
  readonly wrong?: FormProps['wrong'];
}

const actionWords = {
  issue_refund: 'Refund',
  issue_refund_batch: 'Batch of refunds,',
  adopt_memory: 'Remember',
};
const targetWords = {
  issue_refund: 'On payment',
  issue_refund_batch: 'Manifest of',
  adopt_memory: 'Proposed as',
};

/** What would happen first, then why, then what stands out, then the decision, then how it came to be. */
export function ApprovalPage(props: ApprovalPageProps) {
  const { review, signedIn, digest, waiting, temporalUrl, typed = {}, notice, wrong } = props;
  const { approval } = review;
  const { reader } = signedIn;
  const what = `${actionWords[approval.action]} ${subjectText(approval, reader)}`;
  const { arguments: args } = approval;
  return (
    <Page title={what} signedIn={signedIn} kind="approval" waiting={waiting}>
      <nav aria-label="Back">
        <a href="/inbox" data-key="u">
          All approvals
        </a>
      </nav>
      {notice}
      <article data-stream={`/inbox/${approval.id}/events`} data-seen={digest}>
        <h1>{what}</h1>
        <Held brake={approval.brake} reader={reader} />
        <p id="headline">{headline(review)}</p>
        <p id="news" class="news" role="status"></p>
        <div class="columns">
          <div>
            <dl class="what">
              <Field name={targetWords[approval.action]}>
                <code>{approval.target}</code>
              </Field>
              {'key' in args ? (
                <>
                  <Field name="Of whom">{args.owner ?? 'nobody any more'}</Field>
                  <Field name="What it says">{args.value ?? 'gone, since it was decided'}</Field>
                </>
              ) : (
                <Field name="Reason">{reasonText(approval)}</Field>
              )}
              <Field name="Asked for by">
                {approval.requester}
                {approval.onBehalfOf !== null && ` for ${approval.onBehalfOf}`}
              </Field>
              {approval.status === 'open' && (
                <Field name="Deadline">
                  <When at={approval.deadline} reader={reader} />
                  {approval.clock.pausedSince !== null && ' at the latest; a question stops the clock'}
                </Field>
              )}
              {approval.decidedBy && (
                <Field name="Decided">
                  {statusWords[approval.status]} by {approval.decidedBy.actor},{' '}
                  <When at={approval.decidedBy.at} reader={reader} />
                </Field>
              )}
              {approval.claim && (
                <Field name="Claimed">
                  by {approval.claim.by} until <When at={approval.claim.until} reader={reader} />
                </Field>
              )}
            </dl>
            <Revisions review={review} reader={reader} />
            {approval.risk.length > 0 && (
              <section aria-labelledby="risk-title">
                <h2 id="risk-title">Stop at</h2>
                <ul class="risks">
                  {approval.risk.map((mark) => (
                    <li>
                      <span class="tag risk">{riskWords[mark][0]}</span> {riskWords[mark][1]}
                    </li>
                  ))}
                </ul>
              </section>
            )}
            <section aria-labelledby="why-title">
              <h2 id="why-title">Why a person decides</h2>
              <p>{approval.policy.explanation}</p>
              <p class="faint">
                {approval.policy.aggregate !== null &&
                  `Together with other recent refunds: ${amountText(approval.policy.aggregate, reader)}. `}
                Policy {approval.policy.version}.
              </p>
            </section>
            <Votes review={review} signedIn={signedIn} />
            <Evidence review={review} />
          </div>
          <DecideForm review={review} signedIn={signedIn} typed={typed} wrong={wrong} />
          <div>
            <Past risk={approval.facts.risk} reader={reader} />
            <Facts review={review} reader={reader} />
            {'amount' in args && <Related review={review} reader={reader} />}
            <Conversation review={review} reader={reader} />
            <Timeline review={review} reader={reader} temporalUrl={temporalUrl} />
          </div>
        </div>
      </article>
    </Page>
  );
}

/** One sentence for where it stands; live news repeat it. */
export function headline({ approval, run }: ApprovalReview): string {
  const { status, votes, needed, revision } = approval;
  const which = revision > 1 ? `, revision ${revision}` : '';
  if (status === 'open')
    return `Waiting${which}: ${votes.length} of ${needed} ${needed === 1 ? 'vote' : 'votes'}.`;
  const by = approval.decidedBy ? ` by ${approval.decidedBy.actor}` : '';
  return `${statusWords[status]}${by}${which}.${status === 'approved' && run ? ` ${money(run)}` : ''}`;
}

function money(run: NonNullable<ApprovalReview['run']>): string {
  switch (run.phase) {
    case 'completed':
      return `The money was sent${run.result?.refundId ? ` (${run.result.refundId})` : ''}.`;
    case 'failed':
      return 'The refund failed.';
    case 'needs_review':
      return 'The refund waits for a review.';
    default:
      return 'The money is being sent.';
  }
}

function Votes({ review, signedIn: { reader } }: { review: ApprovalReview; signedIn: SignedIn }) {
  const { approval, voters } = review;
  const { policy, votes, needed } = approval;
  const groups = [policy.approverGroup, ...policy.escalatedTo].join(' or ');
  const missing = Math.max(needed - votes.length, 0);
  return (
    <section aria-labelledby="votes-title">
      <h2 id="votes-title">
        Votes: {votes.length} of {needed}
      </h2>
      <ul>
        {votes.map(({ actor, at, onAuthorityOf }) => (
          <li>
            {actor}
            {onAuthorityOf !== null && ` for ${onAuthorityOf}`}, <When at={at} reader={reader} />
          </li>
        ))}
        {approval.delegations.map(({ from, to }) => (
          <li>
            {from} has handed the say over to {to}
          </li>
        ))}
      </ul>
      {approval.status === 'open' && (
        <p>
          {missing === 0 ? 'Enough have agreed in number' : `${missing} more from ${groups}`}
          {review.stillFrom !== null && `, one of them from ${review.stillFrom}`}.
          {voters.length > 0 &&
            ` Others who can: ${voters.map(({ displayName }) => displayName).join(', ')}.`}
        </p>
      )}
    </section>
  );
}
