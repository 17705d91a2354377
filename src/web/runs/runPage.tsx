import type { Child } from 'hono/jsx';
import type { RunInspection } from '../../application/inspectRun';
import type { SignedIn, Typed } from '../context';
import { Held } from '../inbox/past';
import { Page } from '../layout';
import { leadsTo } from '../navigation';
import { amountText } from '../reader';
import { Field, Steps, TemporalLink } from '../steps';
import { When } from '../time';
import { phaseWords, reasonWords, sentence, statusWords } from '../words';
import { Actions } from './actions';
import { Effects, Movements } from './money';
import { waitingFor } from './waiting';

export interface RunPageProps {
  readonly inspection: RunInspection;
  readonly signedIn: SignedIn;
  readonly digest: string;
  readonly temporalUrl: string | undefined;
  readonly typed?: Typed;
  readonly notice?: Child;
  /** The field of the review that was refused. */
  readonly wrong?: 'comment' | 'refundId' | undefined;
}

/** What it waits for first, then what was asked, then what can be done, then what it did. */
export function RunPage(props: RunPageProps) {
  const { inspection, signedIn, digest, temporalUrl, typed = {}, notice, wrong } = props;
  const { run, events, effects, movements } = inspection;
  const { reader } = signedIn;
  const amount = amountText(run.arguments.amount, reader);
  return (
    <Page title={`Run ${amount}`} signedIn={signedIn} area="runs">
      <nav aria-label="Back">
        <a href="/runs" data-key="u">
          All runs
        </a>
      </nav>
      {notice}
      <p id="news" class="news" role="status"></p>
      <article data-stream={`/runs/${run.runId}/events`} data-seen={digest}>
        <h1>
          Refund of {amount}: <span id="headline">{phaseWords[run.phase].toLowerCase()}</span>
        </h1>
        <Held brake={run.brake ?? undefined} reader={reader} />
        <div class="waits">
          <Waits inspection={inspection} signedIn={signedIn} />
        </div>
        <div class="columns">
          <div>
            <Asked inspection={inspection} signedIn={signedIn} />
          </div>
          <Actions inspection={inspection} signedIn={signedIn} typed={typed} wrong={wrong} />
          <div>
            <Effects effects={effects} reader={reader} />
            <Movements movements={movements} reader={reader} />
            <section aria-labelledby="timeline-title">
              <h2 id="timeline-title">Timeline</h2>
              <Steps events={events} reader={reader} />
              {leadsTo(signedIn.principal, 'audit') && (
                <p>
                  <a href={`/audit?run=${run.runId}`}>Its rows of the audit log</a>
                </p>
              )}
              <TemporalLink url={temporalUrl} />
            </section>
          </div>
        </div>
      </article>
    </Page>
  );
}

function Waits({ inspection, signedIn: { reader } }: { inspection: RunInspection; signedIn: SignedIn }) {
  const { run } = inspection;
  const waits = waitingFor(inspection);
  if (!waits) {
    return (
      <p id="waits">
        It is over.
        {run.result?.refundId && ` The provider's refund is ${run.result.refundId}.`}
        {run.result?.detail && ` ${sentence(run.result.detail)}`}
      </p>
    );
  }
  return (
    <section aria-labelledby="waits-title">
      <h2 id="waits-title">What it waits for</h2>
      <p id="waits">{waits.says}</p>
      {waits.since !== undefined && (
        <p>
          Since <When at={waits.since} reader={reader} />
          {waits.until !== undefined && (
            <>
              ; until <When at={waits.until} reader={reader} /> at the latest
            </>
          )}
          .
        </p>
      )}
    </section>
  );
}

function Asked({
  inspection: { run, approval },
  signedIn: { reader, principal },
}: Pick<RunPageProps, 'inspection' | 'signedIn'>) {
  const args = [
    ['Asked for', run.proposed],
    ['Approved', run.approved],
    ['Paid', run.executed],
  ] as const;
  return (
    <dl id="asked" class="what">
      {args.map(
        ([name, is]) =>
          is && (
            <Field name={name}>
              {amountText(is.amount, reader)}, {reasonWords[is.reason].toLowerCase()}
            </Field>
          ),
      )}
      <Field name="On payment">
        <a href={`/runs?payment=${encodeURIComponent(run.paymentId)}`}>{run.paymentId}</a>
      </Field>
      {run.customerId !== null && (
        <Field name="Customer">
          <a href={`/runs?customer=${encodeURIComponent(run.customerId)}`}>{run.customerId}</a>
        </Field>
      )}
      {run.orderId !== null && <Field name="Order">{run.orderId}</Field>}
      {run.lines.map(({ lineId, quantity, of, amount }) => (
        <Field name={`Line ${lineId}`}>
          {quantity} of {of.quantity}: {amountText(amount, reader)} of {amountText(of.amount, reader)}
        </Field>
      ))}
      {run.shipping && <Field name="Shipping">{amountText(run.shipping.amount, reader)}</Field>}
      {run.splitId !== null && <Field name="Part of">{run.splitId}</Field>}
      <Field name="Asked for by">
        {run.requester}
        {run.onBehalfOf !== null && ` for ${run.onBehalfOf}`}, <When at={run.createdAt} reader={reader} />
      </Field>
      {run.note !== null && (
        <Field name="Note">
          <blockquote class="said">{run.note}</blockquote>
        </Field>
      )}
      {approval && (
        <Field name="Approval">
          {statusWords[approval.status]}
          {approval.decidedBy && ` by ${approval.decidedBy.actor}`}, {approval.votes.length} of{' '}
          {approval.needed} votes
          {leadsTo(principal, 'approvals') && (
            <>
              {': '}
              <a href={`/inbox/${approval.id}`}>open it</a>
            </>
          )}
        </Field>
      )}
      <Field name="Run">
        <code>{run.runId}</code>
      </Field>
    </dl>
  );
}
