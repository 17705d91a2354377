import type { Child } from 'hono/jsx';
import type { Choice } from '../../application/readInbox';
import type { ApprovalView } from '../../application/views';
import type { SignedIn } from '../context';
import { countText, Page, Wrong } from '../layout';
import { LiveList } from '../liveList';
import type { Reader } from '../reader';
import { Cases } from '../table';
import { Age } from '../time';
import { riskWords, statusWords } from '../words';
import { Box, ChooseForm, closed, Hindrance, isToChoose, type Ticked } from './choose';
import { Filters } from './filters';
import type { Asked, Listed } from './listRoutes';
import { Held } from './past';
import { reasonText, subjectText } from './subject';

export interface ListProps {
  readonly signedIn: SignedIn;
  readonly asked: Asked;
  /** Undefined where what was asked can't be answered. */
  readonly listed?: Listed;
  readonly wrong?: string;
  readonly notice?: Child;
  /** What is ticked already. */
  readonly chosen?: Ticked;
}

export function ListPage({ signedIn, asked, listed, wrong, notice, chosen }: ListProps) {
  const { reader } = signedIn;
  const choosing = isToChoose(signedIn, asked);
  return (
    <Page title="Approvals" signedIn={signedIn} kind="list" waiting={listed?.counts}>
      <h1>Approvals</h1>
      {listed && <Counts listed={listed} />}
      {notice}
      <Held brake={listed?.items.find(({ brake }) => brake)?.brake} reader={reader} />
      <Wrong says={wrong} />
      <Filters asked={asked} groups={Object.keys(listed?.counts.byGroup ?? {})} />
      {listed && (
        <LiveList
          {...{ asked, listed }}
          path="/inbox"
          of="approvals"
          gone="No longer waiting"
          none={<Empty asked={asked} />}
        >
          <ChooseForm shown={choosing} signedIn={signedIn} asked={asked}>
            <Cases
              caption={`Approvals, ${statusCaption(asked)}`}
              columns={[
                ...['Amount', 'Stop at'],
                ...['Reason', 'Customer', 'Votes', 'Since'].map((wide) => ({ wide })),
                asked.status === 'open' ? 'Deadline' : 'Outcome',
              ]}
              box={choosing}
            >
              {listed.items.map((approval) => (
                <Row
                  approval={approval}
                  reader={reader}
                  me={signedIn.principal.id}
                  choice={choosing ? (listed.choices.get(approval.id) ?? closed) : undefined}
                  chosen={chosen}
                />
              ))}
            </Cases>
          </ChooseForm>
        </LiveList>
      )}
    </Page>
  );
}

function Counts({ listed: { counts } }: { listed: Listed }) {
  return (
    <p id="counts" class="counts" data-live>
      <a href="/inbox">
        <strong>{countText(counts)}</strong> waiting
      </a>
      <a href="/inbox?due_in=24h&amp;sort=deadline">
        <strong>{counts.dueWithin24h}</strong> due within 24 h
      </a>
      <a href="/inbox?assignee=me">
        <strong>{counts.claimedByMe}</strong> claimed by you
      </a>
      {Object.entries(counts.byGroup).map(([group, n]) => (
        <a href={`/inbox?group=${encodeURIComponent(group)}`}>
          <strong>{n}</strong> for {group}
        </a>
      ))}
    </p>
  );
}

interface RowProps {
  readonly approval: ApprovalView;
  readonly reader: Reader;
  readonly me: string;
  /** Undefined where nothing is chosen. */
  readonly choice: Choice | undefined;
  readonly chosen: Ticked | undefined;
}

function Row({ approval, reader, me, choice, chosen }: RowProps) {
  const { id, claim, risk, votes, needed, decidedBy } = approval;
  const facts: Readonly<Record<string, unknown>> = approval.facts;
  const customer = typeof facts['customer'] === 'string' ? facts['customer'] : '–';
  return (
    <tr data-row={id}>
      {choice && (
        <td class="box">
          <Box approval={approval} subject={subjectText(approval, reader)} choice={choice} chosen={chosen} />
        </td>
      )}
      <th scope="row">
        <a href={`/inbox/${id}`} data-open>
          {subjectText(approval, reader)}
        </a>
        {approval.revision > 1 && <span class="tag">revision {approval.revision}</span>}
        {claim && <span class="tag">{claim.by === me ? 'claimed by you' : `claimed by ${claim.by}`}</span>}
        {choice && <Hindrance choice={choice} />}
        <span class="narrow faint">{reasonText(approval)}</span>
      </th>
      <td>
        {risk.length === 0 ? (
          <span class="faint">–</span>
        ) : (
          risk.map((mark) => (
            <span class="tag risk" title={riskWords[mark][1]}>
              {riskWords[mark][0]}
            </span>
          ))
        )}
      </td>
      <td class="wide">{reasonText(approval)}</td>
      <td class="wide cut" title={customer}>
        {customer}
      </td>
      <td class="wide">
        {votes.length} of {needed}
      </td>
      <td class="wide">
        <Age at={approval.openedAt} reader={reader} />
      </td>
      <td data-outcome>
        {approval.status === 'open' ? (
          <Age at={approval.deadline} reader={reader} />
        ) : (
          `${statusWords[approval.status]}${decidedBy ? ` by ${decidedBy.actor}` : ''}`
        )}
      </td>
    </tr>
  );
}

function Empty({ asked }: { asked: Asked }) {
  const filtered = Object.keys(asked).some((name) => !['status', 'sort', 'limit'].includes(name));
  if (filtered) {
    return (
      <p>
        Nothing fits these filters. <a href="/inbox">Show all that wait</a>
      </p>
    );
  }
  if (asked.status !== 'open') return <p>No approval is {statusCaption(asked)}.</p>;
  return <p>Nothing waits for a decision. New approvals appear here by themselves.</p>;
}

function statusCaption({ status }: Asked): string {
  if (status === 'any' || status === undefined) return 'of any status';
  return status in statusWords ? statusWords[status as keyof typeof statusWords].toLowerCase() : status;
}
