import type { BatchView } from '../../application/batches/views';
import type { Asked } from '../asked';
import type { SignedIn } from '../context';
import { Notice, Page } from '../layout';
import { Paging } from '../paging';
import { amountText, type Reader } from '../reader';
import { Age } from '../time';
import { sentence } from '../words';
import { doneRows, kindWords, stateText } from './words';

interface BatchesProps {
  readonly signedIn: SignedIn;
  readonly asked: Asked;
  /** Undefined where what was asked can't be answered. */
  readonly listed: { readonly items: readonly BatchView[]; readonly nextCursor: string | null } | undefined;
  readonly wrong: string | undefined;
}

export function BatchesPage({ signedIn, asked, listed, wrong }: BatchesProps) {
  return (
    <Page title="Batches" signedIn={signedIn} area="batches">
      <h1>Batches</h1>
      {wrong !== undefined && (
        <Notice kind="wrong">
          <p>{sentence(wrong)}</p>
        </Notice>
      )}
      {listed && listed.items.length > 0 && <Rows items={listed.items} reader={signedIn.reader} />}
      {listed?.items.length === 0 && (
        <p class="empty">
          No batch is on this page. One is sent with <code>countersign batch start</code>, or to{' '}
          <code>POST /v1/batches</code>.
        </p>
      )}
      {listed && <Paging path="/batches" of="batches" asked={asked} nextCursor={listed.nextCursor} />}
    </Page>
  );
}

function Rows({ items, reader }: { items: readonly BatchView[]; reader: Reader }) {
  return (
    <table class="cases">
      <caption class="unseen">Batches, newest first</caption>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">State</th>
          <th scope="col">Rows</th>
          <th scope="col" class="wide">
            Sum
          </th>
          <th scope="col" class="wide">
            Sent by
          </th>
          <th scope="col">Since</th>
        </tr>
      </thead>
      <tbody>
        {items.map((batch) => (
          <tr>
            <th scope="row">
              <a href={`/batches/${batch.batchId}`}>{kindWords[batch.kind]}</a>
            </th>
            <td>
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
      </tbody>
    </table>
  );
}
