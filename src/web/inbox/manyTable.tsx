import type { ChosenItem } from '../../application/reviewChosen';
import type { CountersignError } from '../../domain/errors';
import type { ApprovedAction } from '../../domain/refund/state';
import { refusalText } from '../forms';
import type { Reader } from '../reader';
import { Head } from '../table';
import { riskWords } from '../words';
import { reasonText, subjectText } from './subject';

const actionWords: Readonly<Record<ApprovedAction, string>> = {
  issue_refund: 'Refund',
  issue_refund_batch: 'Batch of refunds',
  adopt_memory: 'Rule of procedure',
};

interface ManyTableProps {
  readonly name: string;
  readonly items: readonly ChosenItem[];
  readonly reader: Reader;
}

/** Many approvals with all that is to be seen of each before it is decided. */
export function ManyTable({ name, items, reader }: ManyTableProps) {
  return (
    <table class="cases">
      <caption class="unseen">{name}</caption>
      <Head
        columns={[
          'Amount',
          'On',
          'Stop at',
          { wide: 'Asked for by' },
          { wide: 'Votes' },
          { wide: 'Proposal' },
        ]}
      />
      <tbody>
        {items.map((item) => (
          <Row item={item} reader={reader} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ item: { approvalId, approval, outlier }, reader }: { item: ChosenItem; reader: Reader }) {
  if (!approval) return <></>;
  const requester = `${approval.requester}${approval.onBehalfOf === null ? '' : ` for ${approval.onBehalfOf}`}`;
  const votes = `${approval.votes.length} of ${approval.needed}`;
  // The whole of it is in the form; a person compares its beginning.
  const hash = approval.proposalHash.slice(0, 12);
  return (
    <tr>
      <th scope="row">
        <a href={`/inbox/${approvalId}`} target="_blank">
          {subjectText(approval, reader)}
        </a>
        {approval.revision > 1 && <span class="tag">revision {approval.revision}</span>}
        <span class="narrow faint">
          {requester}, {votes}, <code>{hash}</code>
        </span>
      </th>
      <td class="target">
        {actionWords[approval.action]} on <code>{approval.target}</code>
        <br />
        <span class="faint">{reasonText(approval)}</span>
      </td>
      <td>
        {outlier && <span class="tag risk">Far above the others</span>}
        {approval.risk.map((mark) => (
          <span class="tag risk" title={riskWords[mark][1]}>
            {riskWords[mark][0]}
          </span>
        ))}
        {!outlier && approval.risk.length === 0 && <span class="faint">–</span>}
      </td>
      <td class="wide">{requester}</td>
      <td class="wide">{votes}</td>
      <td class="wide">
        <code title={approval.proposalHash}>{hash}</code>
      </td>
    </tr>
  );
}

/** Why one of them is not decided, for people. */
export function whyNot(error: CountersignError): string {
  if (error.code === 'decision_stale') return 'It has changed since it was chosen. Look at it again.';
  if (error.code === 'not_found') return 'It is not here any more, or was never here.';
  if (error.status >= 500) return 'It is not known what came of it. Look at it again.';
  return refusalText(error);
}
