import type { AgentRunView } from '../../application/agent/agentRunView';
import { agentRunStatuses } from '../../domain/agent/state';
import type { Asked } from '../asked';
import type { SignedIn } from '../context';
import { Select, Show, type Choice } from '../filterFields';
import { Notice, Page } from '../layout';
import { Paging } from '../paging';
import type { Reader } from '../reader';
import { Age } from '../time';
import { sentence } from '../words';
import { agentStatusWords, stepWords } from './words';

interface AgentRunsProps {
  readonly signedIn: SignedIn;
  readonly asked: Asked;
  /** Undefined where what was asked can't be answered. */
  readonly listed:
    { readonly items: readonly AgentRunView[]; readonly nextCursor: string | null } | undefined;
  readonly wrong: string | undefined;
}

export function AgentRunsPage({ signedIn, asked, listed, wrong }: AgentRunsProps) {
  return (
    <Page title="Agents" signedIn={signedIn} area="agents">
      <h1>Agent runs</h1>
      {wrong !== undefined && (
        <Notice kind="wrong">
          <p>{sentence(wrong)}</p>
        </Notice>
      )}
      <form method="get" action="/agents" class="filters" role="search" aria-label="Agent runs">
        <Select
          name="status"
          label="Status"
          chosen={asked['status']}
          choices={[
            ['', 'Any'],
            ...agentRunStatuses.map((status): Choice => [status, agentStatusWords[status]]),
          ]}
        />
        <Show path="/agents" />
      </form>
      {listed && listed.items.length > 0 && <Rows items={listed.items} reader={signedIn.reader} />}
      {listed?.items.length === 0 && (
        <p class="empty">
          {asked['status'] === undefined ? 'No agent run concerns you yet.' : 'No agent run is like that.'}
        </p>
      )}
      {listed && <Paging path="/agents" of="agent runs" asked={asked} nextCursor={listed.nextCursor} />}
    </Page>
  );
}

function Rows({ items, reader }: { items: readonly AgentRunView[]; reader: Reader }) {
  return (
    <table class="cases">
      <caption class="unseen">Agent runs, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Goal</th>
          <th scope="col">Status</th>
          <th scope="col" class="wide">
            Next step
          </th>
          <th scope="col" class="wide">
            Started by
          </th>
          <th scope="col">Since</th>
        </tr>
      </thead>
      <tbody>
        {items.map((run) => {
          const step = run.plan[run.nextStepIndex];
          return (
            <tr>
              <th scope="row" class="cut" title={run.goal ?? ''}>
                <a href={`/agents/${run.runId}`}>{run.goal ?? '(erased)'}</a>
              </th>
              <td>{agentStatusWords[run.status]}</td>
              <td class="wide">{step ? stepWords[step.type] : '–'}</td>
              <td class="wide cut" title={run.requester}>
                {run.requester}
              </td>
              <td>
                <Age at={run.createdAt} reader={reader} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
