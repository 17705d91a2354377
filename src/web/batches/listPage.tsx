import type { BatchView } from '../../application/batches/views';
import { Page, Wrong } from '../layout';
import { LiveList } from '../liveList';
import type { ListProps } from '../liveListRoutes';
import { amountText, type Reader } from '../reader';
import { Cases } from '../table';
import { Age } from '../time';
import { doneRows, kindWords, stateText } from './words';

type BatchesProps = ListProps<{
  readonly items: readonly BatchView[];
  readonly nextCursor: string | null;
}>;

export function BatchesPage({ signedIn, asked, listed, wrong }: BatchesProps) {
  return (
    <Page title="Batches" signedIn={signedIn} area="batches">
      <h1>Batches</h1>
      <Wrong says={wrong} />
      {listed && (
        <LiveList
          {...{ asked, listed }}
          path="/batches"
          of="batches"
          gone="No longer here"
          none={
            <p>
              No batch is on this page. One is sent with <code>countersign batch start</code>, or to{' '}
              <code>POST /v1/batches</code>.
            </p>
          }
        >
          <Rows items={listed.items} reader={signedIn.reader} />
        </LiveList>
      )}
    </Page>
  );
}

function Rows({ items, reader }: { items: readonly BatchView[]; reader: Reader }) {
  return (
    <Cases
      caption="Batches, newest first"
      columns={['What', 'State', 'Rows', { wide: 'Sum' }, { wide: 'Sent by' }, 'Since']}
    >
      {items.map((batch) => (
        <tr data-row={batch.batchId}>
          <th scope="row">
            <a href={`/batches/${batch.batchId}`} data-open>
              {kindWords[batch.kind]}
            </a>
          </th>
          <td data-outcome>
            {stateText(batch)}
            {batch.brake && <span class="tag risk">held</span>}
          </td>
          <td>
            {doneRows(batch)} of {batch.rows}
          </td>
          <td class="wide">{batch.asked ? amountText(batch.asked, reader) : '–'}</td>
          <td class="wide cut" title={batch.requester}>
            {batch.requester}
          </td>
          <td>
            <Age at={batch.createdAt} reader={reader} />
          </td>
        </tr>
      ))}
    </Cases>
  );
}
