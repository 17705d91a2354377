import type { RefundView } from '../../application/views';
import { finalPhases, phases, type Phase } from '../../domain/contract';
import type { RunCounts } from '../../ports/runs';
import type { Asked } from '../asked';
import { Day, Select, Show, Text, type Choice } from '../filterFields';
import { countText, Page, Wrong } from '../layout';
import { LiveList } from '../liveList';
import type { ListProps } from '../liveListRoutes';
import { amountText, type Reader } from '../reader';
import { Cases } from '../table';
import { Age } from '../time';
import { phaseWords, reasonWords } from '../words';

type RunsProps = ListProps<{
  readonly items: readonly RefundView[];
  readonly nextCursor: string | null;
  readonly counts: RunCounts;
}>;

export function RunsPage({ signedIn, asked, listed, wrong }: RunsProps) {
  return (
    <Page title="Runs" signedIn={signedIn} area="runs">
      <h1>Runs</h1>
      {listed && <Counts counts={listed.counts} />}
      <Wrong says={wrong} />
      <Filters asked={asked} />
      {listed && (
        <LiveList
          {...{ asked, listed }}
          path="/runs"
          of="runs"
          gone="No longer here"
          none={
            Object.keys(asked).length === 0 ? (
              <p>No refund was asked for yet.</p>
            ) : (
              <p>
                Nothing on this page fits these filters. <a href="/runs">Show all runs</a>
              </p>
            )
          }
        >
          <Rows items={listed.items} reader={signedIn.reader} />
        </LiveList>
      )}
    </Page>
  );
}

const moving = phases.filter((phase) => !(finalPhases as readonly Phase[]).includes(phase));

function Counts({ counts: { byPhase, countedTo } }: { counts: RunCounts }) {
  return (
    <p id="counts" class="counts" data-live>
      {moving.map((phase) => (
        <a href={`/runs?phase=${phase}`}>
          <strong>{countText({ open: byPhase[phase], countedTo })}</strong> {phaseWords[phase].toLowerCase()}
        </a>
      ))}
      <a href="/runs?phase=failed">
        <strong>{countText({ open: byPhase.failed, countedTo })}</strong> failed
      </a>
    </p>
  );
}

function Filters({ asked }: { asked: Asked }) {
  return (
    <form method="get" action="/runs" class="filters" role="search" aria-label="Runs">
      <Select
        name="phase"
        label="Phase"
        chosen={asked['phase']}
        choices={[['', 'Any'], ...phases.map((phase): Choice => [phase, phaseWords[phase]])]}
      />
      <Text name="customer" label="Customer" value={asked['customer']} hint="cus_…" size={12} />
      <Text name="payment" label="Payment" value={asked['payment']} hint="ch_…" size={12} />
      <Text name="requester" label="Asked for by" value={asked['requester']} hint="id" size={10} />
      <Day name="from" label="From day" value={asked['from']} />
      <Day name="to" label="To day" value={asked['to']} />
      <Text name="currency" label="Currency" value={asked['currency']} hint="USD" size={4} />
      <Text name="min_amount" label="Amount from" value={asked['min_amount']} hint="50.00" />
      <Text name="max_amount" label="Amount to" value={asked['max_amount']} hint="500.00" />
      <Show path="/runs" />
    </form>
  );
}

function Rows({ items, reader }: { items: readonly RefundView[]; reader: Reader }) {
  return (
    <Cases
      caption="Runs, newest first"
      columns={[
        ...['Amount', 'Phase'],
        ...['Reason', 'Customer', 'Payment', 'Asked for by'].map((wide) => ({ wide })),
        'Since',
      ]}
    >
      {items.map((run) => (
        <tr data-row={run.runId}>
          <th scope="row">
            <a href={`/runs/${run.runId}`} data-open>
              {amountText(run.arguments.amount, reader)}
            </a>
          </th>
          <td data-outcome>
            {phaseWords[run.phase]}
            {run.brake && <span class="tag risk">held</span>}
          </td>
          <td class="wide">{reasonWords[run.arguments.reason]}</td>
          <td class="wide cut" title={run.customerId ?? ''}>
            {run.customerId ?? '–'}
          </td>
          <td class="wide cut" title={run.paymentId}>
            {run.paymentId}
          </td>
          <td class="wide cut" title={run.requester}>
            {run.requester}
          </td>
          <td>
            <Age at={run.createdAt} reader={reader} />
          </td>
        </tr>
      ))}
    </Cases>
  );
}
