import type { Child } from 'hono/jsx';
import type { BatchView, ItemView } from '../../application/batches/views';
import { itemOutcomes } from '../../domain/batch/batch';
import type { SignedIn } from '../context';
import { Page } from '../layout';
import { leadsTo } from '../navigation';
import { amountText, type Reader } from '../reader';
import { Field } from '../steps';
import { When } from '../time';
import { reasonWords, sentence, spaced, statusWords } from '../words';
import { doneRows, kindWords, stateText } from './words';

export interface BatchPageProps {
  readonly batch: BatchView;
  /** The first rows that were left out, and why. */
  readonly leftOut: readonly ItemView[];
  readonly mayChange: boolean;
  readonly signedIn: SignedIn;
  readonly notice?: Child;
}

/** How far it is first, then what can be done, then what it is, and what was left out. */
export function BatchPage({ batch, leftOut, mayChange, signedIn, notice }: BatchPageProps) {
  const title = `${kindWords[batch.kind]}, ${batch.rows} ${batch.rows === 1 ? 'row' : 'rows'}`;
  return (
    <Page title={title} signedIn={signedIn} area="batches">
      <nav aria-label="Back">
        <a href="/batches" data-key="u">
          All batches
        </a>
      </nav>
      {notice}
      <article>
        <h1>
          {title}: {stateText(batch).toLowerCase()}
        </h1>
        <Progress batch={batch} />
        {batch.brake && (
          <p>
            The kill switch holds the rows that are left: {sentence(batch.brake.reason)} Pulled by{' '}
            {batch.brake.actor}.
          </p>
        )}
        <div class="columns">
          <div>
            <What batch={batch} signedIn={signedIn} />
          </div>
          <Actions batch={batch} mayChange={mayChange} csrf={signedIn.csrf} />
          <div>{batch.counts.left_out > 0 && <LeftOut batch={batch} leftOut={leftOut} />}</div>
        </div>
      </article>
    </Page>
  );
}

function Progress({ batch }: { batch: BatchView }) {
  const some = itemOutcomes.filter((outcome) => batch.counts[outcome] > 0);
  return (
    <section aria-labelledby="progress-title">
      <h2 id="progress-title">
        {doneRows(batch)} of {batch.rows} rows have an outcome
      </h2>
      <progress aria-labelledby="progress-title" max={batch.rows} value={doneRows(batch)} />
      <p class="counts" id="counts">
        {some.map((outcome) => (
          <span>
            <strong>{batch.counts[outcome]}</strong> {spaced(outcome).toLowerCase()}
          </span>
        ))}
      </p>
    </section>
  );
}

function What({ batch, signedIn: { reader, principal } }: Pick<BatchPageProps, 'batch' | 'signedIn'>) {
  const { approval, paused, asked } = batch;
  return (
    <dl class="what">
      {asked && <Field name="Asks for">{amountText(asked, reader)}</Field>}
      <Manifest batch={batch} reader={reader} />
      {approval && (
        <Field name="Approval">
          {statusWords[approval.status]}, {approval.votes} of {approval.needed} votes
          {leadsTo(principal, 'approvals') && (
            <>
              {': '}
              <a href={`/inbox/${approval.id}`}>open it</a>
            </>
          )}
        </Field>
      )}
      {batch.dryRun && <Field name="Dry run">Every row is looked at, and nothing runs</Field>}
      {paused && (
        <Field name="Paused">
          by {paused.by}, <When at={paused.at} reader={reader} />
        </Field>
      )}
      {batch.cancelledBy !== null && <Field name="Cancelled">by {batch.cancelledBy}</Field>}
      <Field name="Sent by">
        {batch.requester}
        {batch.onBehalfOf !== null && ` for ${batch.onBehalfOf}`},{' '}
        <When at={batch.createdAt} reader={reader} />
      </Field>
      {batch.endedAt !== null && (
        <Field name="Ended">
          <When at={batch.endedAt} reader={reader} />
        </Field>
      )}
      <Field name="Batch">
        <code>{batch.batchId}</code>
      </Field>
      <Field name="Result">
        <a href={`/batches/${batch.batchId}/result?format=csv`} download>
          CSV
        </a>
        {', '}
        <a href={`/batches/${batch.batchId}/result?format=jsonl`} download>
          JSON Lines
        </a>
        : one row for each row of the file, as it is now
      </Field>
    </dl>
  );
}

/** What may run, as it was frozen before people were asked. */
function Manifest({ batch: { summary }, reader }: { batch: BatchView; reader: Reader }) {
  if (!summary || summary.count === 0) return <></>;
  const [smallest, median, largest, sum] = [
    summary.smallest,
    summary.median,
    summary.largest,
    summary.sum,
  ].map((amount) => amountText(amount, reader));
  const reasons = Object.entries(summary.reasons) as [keyof typeof reasonWords, number][];
  return (
    <>
      <Field name="May run">
        {summary.count} refunds of {summary.payments} payments, {sum}
      </Field>
      <Field name="Amounts">
        {smallest} to {largest}, median {median}
      </Field>
      <Field name="Reasons">
        {reasons.map(([reason, count]) => `${count} ${reasonWords[reason].toLowerCase()}`).join(', ')}
      </Field>
      {summary.outlierCount > 0 && (
        <Field name="Far above the rest">
          {summary.outlierCount}:{' '}
          {summary.outliers.map(({ row, amount }) => `row ${row}, ${amountText(amount, reader)}`).join('; ')}
        </Field>
      )}
    </>
  );
}

function Actions({ batch, mayChange, csrf }: { batch: BatchView; mayChange: boolean; csrf: string }) {
  if (!mayChange) return <></>;
  const orders = [batch.paused ? 'resume' : 'pause', 'cancel'] as const;
  return (
    <section aria-labelledby="do-title" class="decide">
      <h2 id="do-title">What can be done</h2>
      {orders.map((order) => (
        <form method="post" action={`/batches/${batch.batchId}/${order}`}>
          <input type="hidden" name="csrf" value={csrf} />
          <div class="choice">
            <button {...(order === 'cancel' ? { class: 'danger' } : {})}>{orderWords[order]}</button>
          </div>
        </form>
      ))}
    </section>
  );
}

const orderWords = {
  pause: 'Pause: no further row starts',
  resume: 'Go on with the next row',
  cancel: 'Cancel the batch…',
} as const;

function LeftOut({ batch, leftOut }: Pick<BatchPageProps, 'batch' | 'leftOut'>) {
  const rest = batch.counts.left_out - leftOut.length;
  return (
    <section aria-labelledby="left-out-title">
      <h2 id="left-out-title">Left out</h2>
      <ul>
        {leftOut.map(({ row, code, detail }) => (
          <li>
            Row {row}: {sentence(detail ?? spaced(code ?? 'left_out'))}
          </li>
        ))}
      </ul>
      {rest > 0 && <p class="faint">And {rest} more, which the result file names.</p>}
    </section>
  );
}
