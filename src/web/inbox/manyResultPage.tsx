import type { TogetherOutcome } from '../../application/decideMany';
import type { ChosenItem } from '../../application/reviewChosen';
import type { TogetherKind } from '../../domain/approval/manyDecisions';
import { memoryAction } from '../../domain/refund/state';
import type { SignedIn } from '../context';
import { Notice, Page } from '../layout';
import { whyNot } from './manyTable';
import { Head } from '../table';
import { subjectText } from './subject';

interface ManyResultProps {
  readonly kind: TogetherKind;
  readonly signedIn: SignedIn;
  /** As they were before. */
  readonly items: readonly ChosenItem[];
  readonly outcomes: readonly TogetherOutcome[];
  readonly back: string;
}

/** What came of each; sent again by a reload it says the same, since nothing is decided twice. */
export function ManyResultPage({ kind, signedIn, items, outcomes, back }: ManyResultProps) {
  const refused = outcomes.filter(({ status }) => status === 'refused').length;
  const done = `${outcomes.length - refused} of ${outcomes.length} ${kind === 'approve' ? 'approved' : 'rejected'}`;
  return (
    <Page title={done} signedIn={signedIn} area="approvals">
      <h1>{done}</h1>
      <Notice kind={refused === 0 ? 'done' : 'wrong'}>
        <p>
          {refused === 0
            ? 'Done: your decision stands with each of them.'
            : `${refused} ${refused === 1 ? 'was' : 'were'} not decided; why stands beside each.`}
        </p>
      </Notice>
      <table class="cases">
        <caption class="unseen">What came of each</caption>
        <Head columns={['Amount', 'Outcome']} />
        <tbody>
          {outcomes.map((outcome) => {
            const approval = items.find(({ approvalId }) => approvalId === outcome.approvalId)?.approval;
            return (
              <tr data-outcome={outcome.status}>
                <th scope="row">
                  <a href={`/inbox/${outcome.approvalId}`}>
                    {approval ? subjectText(approval, signedIn.reader) : outcome.approvalId}
                  </a>
                </th>
                <td>{outcomeText(outcome, Boolean(approval?.brake))}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p>
        <a href={back} data-key="u">
          Back to the approvals
        </a>
      </p>
    </Page>
  );
}

/** `held`: by the kill switch. */
function outcomeText(outcome: TogetherOutcome, held: boolean): string {
  switch (outcome.status) {
    case 'recorded':
      return 'On record. It takes effect as soon as a worker is up.';
    case 'refused':
      return `Not decided. ${whyNot(outcome.error)}`;
    case 'applied': {
      const { status, votes, needed, action } = outcome.approval;
      if (status === 'open') return `Your vote counts: ${votes.length} of ${needed}.`;
      if (action === memoryAction)
        return status === 'approved' ? 'Approved: it is remembered.' : 'Rejected: nothing is remembered.';
      if (status !== 'approved') return 'Rejected: nothing is sent.';
      return held
        ? 'Approved. No money moves until the kill switch is released.'
        : 'Approved: the money is being sent.';
    }
  }
}
