import type { AgentRunView } from '../../application/agent/agentRunView';
import { agentRunStatuses } from '../../domain/agent/state';
import { Select, Show, type Choice } from '../filterFields';
import { Page, Wrong } from '../layout';
import { LiveList } from '../liveList';
import type { ListProps } from '../liveListRoutes';
import type { Reader } from '../reader';
import { Cases } from '../table';
import { Age } from '../time';
import { agentStatusWords, stepWords } from './words';

type AgentRunsProps = ListProps<{
  readonly items: readonly AgentRunView[];
  readonly nextCursor: string | null;
}>;

export function AgentRunsPage({ signedIn, asked, listed, wrong }: AgentRunsProps) {
  return (
    <Page title="Agents" signedIn={signedIn} area="agents">
      <h1>Agent runs</h1>
      <Wrong says={wrong} />
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
      {listed && (
        <LiveList
          {...{ asked, listed }}
          path="/agents"
          of="agent runs"
          gone="No longer here"
          none={
            <p>
              {asked['status'] === undefined
                ? 'No agent run concerns you yet.'
                : 'No agent run is like that.'}
            </p>
          }
        >
          <Rows items={listed.items} reader={signedIn.reader} />
        </LiveList>
      )}
    </Page>
  );
}

function Rows({ items, reader }: { items: readonly AgentRunView[]; reader: Reader }) {
  return (
    <Cases
      caption="Agent runs, newest first"
      columns={['Goal', 'Status', { wide: 'Next step' }, { wide: 'Started by' }, 'Since']}
    >
      {items.map((run) => {
        const step = run.plan[run.nextStepIndex];
        return (
          <tr data-row={run.runId}>
            <th scope="row" class="cut" title={run.goal ?? ''}>
              <a href={`/agents/${run.runId}`} data-open>
                {run.goal ?? '(erased)'}
              </a>
            </th>
            <td data-outcome>{agentStatusWords[run.status]}</td>
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
    </Cases>
  );
}
