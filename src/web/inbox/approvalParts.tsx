import type { ApprovalReview } from '../../application/reviewApproval';
import { amountText, momentText, type Reader } from '../reader';
import { Steps, TemporalLink } from '../steps';
import { Head } from '../table';
import { When } from '../time';
import { doneWords, reasonWords, spaced } from '../words';

interface Part {
  readonly review: ApprovalReview;
  readonly reader: Reader;
}

/** What each revision changed of the one before. */
export function Revisions({ review: { revisions, approval }, reader }: Part) {
  if (revisions.length < 2) return <></>;
  return (
    <section aria-labelledby="revisions-title">
      <h2 id="revisions-title">What changed</h2>
      <table>
        <Head columns={['Revision', 'Amount', 'Reason', 'By']} />
        <tbody>
          {revisions.map(({ revision, arguments: now, proposedBy }, i) => {
            const before = revisions[i - 1]?.arguments;
            return (
              <tr>
                <th scope="row">{revision}</th>
                <td>
                  <Changed
                    now={amountText(now.amount, reader)}
                    before={before && amountText(before.amount, reader)}
                  />
                </td>
                <td>
                  <Changed now={reasonWords[now.reason]} before={before && reasonWords[before.reason]} />
                </td>
                <td>{proposedBy}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {approval.revisionReason !== null && <p class="faint">Newest: {approval.revisionReason}.</p>}
    </section>
  );
}

export function Changed({ now, before }: { now: string; before: string | undefined }) {
  if (before === undefined || before === now) return <>{now}</>;
  return (
    <>
      <del>{before}</del> <ins>{now}</ins>
    </>
  );
}

export function Evidence({ review: { approval } }: Pick<Part, 'review'>) {
  return (
    <section aria-labelledby="evidence-title">
      <h2 id="evidence-title">Evidence</h2>
      {approval.evidence.length === 0 ? (
        <p class="faint">None was given.</p>
      ) : (
        <ul>
          {approval.evidence.map(({ id, label, url, text }) => (
            <li id={id}>
              <OutLink url={url}>{label}</OutLink>
              {text !== null && <blockquote class="said">{text}</blockquote>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Somebody else's address: a link only where it leads to a page, and that page learns nothing of this one. */
export function OutLink({ url, children }: { url: string | null; children: string }) {
  if (url === null || !/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    return <>{url === null ? children : `${children} (${url})`}</>;
  }
  return (
    <>
      <a href={url} target="_blank" rel="noopener noreferrer nofollow external">
        {children}
      </a>{' '}
      <span class="faint">{new URL(url).host}</span>
    </>
  );
}

/** What is known, whatever it is: the API decides what to tell. Evidence and lines have places of their own. */
export function Facts({ review: { approval }, reader }: Part) {
  const entries = Object.entries(approval.facts as Record<string, unknown>).filter(
    ([name, value]) => !['evidence', 'risk'].includes(name) && value !== null && value !== '',
  );
  return (
    <section aria-labelledby="facts-title">
      <h2 id="facts-title">What is known</h2>
      <dl class="facts">
        {entries.flatMap(([name, value]) => factRows(spaced(name), value, reader))}
        {approval.lines.map(({ lineId, quantity, of, amount }) => (
          <div>
            <dt>Line {lineId}</dt>
            <dd>
              {quantity} of {of.quantity}: {amountText(amount, reader)} of {amountText(of.amount, reader)}
            </dd>
          </div>
        ))}
        {approval.shipping && (
          <div>
            <dt>Shipping</dt>
            <dd>{amountText(approval.shipping.amount, reader)}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}

function factRows(name: string, value: unknown, reader: Reader) {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !isAmount(value)) {
    return Object.entries(value).map(([inner, one]) => (
      <div>
        <dt>
          {name}: {spaced(inner).toLowerCase()}
        </dt>
        <dd>{factText(one, reader)}</dd>
      </div>
    ));
  }
  return [
    <div>
      <dt>{name}</dt>
      <dd>{factText(value, reader)}</dd>
    </div>,
  ];
}

function factText(value: unknown, reader: Reader): string {
  if (value === null || value === undefined) return 'not known';
  if (typeof value === 'string') {
    return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? momentText(value, reader) : value;
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return new Intl.NumberFormat(reader.locale).format(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return value.map((one) => factText(one, reader)).join('; ') || 'none';
  if (isAmount(value)) return amountText(value, reader);
  return Object.entries(value)
    .map(([name, one]) => `${spaced(name).toLowerCase()} ${factText(one, reader)}`)
    .join(', ');
}

function isAmount(value: object): value is { value: string; currency: string } {
  return (
    'value' in value &&
    'currency' in value &&
    typeof value.value === 'string' &&
    typeof value.currency === 'string'
  );
}

export function Related({ review: { related }, reader }: Part) {
  return (
    <section aria-labelledby="related-title">
      <h2 id="related-title">Other refunds of this payment or customer</h2>
      {related.length === 0 ? (
        <p class="faint">None.</p>
      ) : (
        <ul>
          {related.map(({ view, same, approvalId }) => {
            const amount = amountText(view.arguments.amount, reader);
            return (
              <li>
                {approvalId === null ? amount : <a href={`/inbox/${approvalId}`}>{amount}</a>},{' '}
                {spaced(view.phase).toLowerCase()}, same {same}, <When at={view.createdAt} reader={reader} />
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

/** What people have said and done. */
export function Conversation({ review: { approval }, reader }: Part) {
  const waiting = new Set(approval.infoRequests.filter(({ open }) => open).map(({ id }) => id));
  if (approval.timeline.length === 0) return <></>;
  return (
    <section aria-labelledby="said-title">
      <h2 id="said-title">What people said and did</h2>
      <ol class="said-list">
        {approval.timeline.map(({ decisionId, decision, actor, at, comment, to }) => (
          <li>
            <strong>{actor}</strong> {doneWords[decision]}
            {to !== null && ` to ${to}`}, <When at={at} reader={reader} />
            {waiting.has(decisionId) && <span class="tag">waits for an answer</span>}
            {comment !== null && <blockquote class="said">{comment}</blockquote>}
          </li>
        ))}
      </ol>
    </section>
  );
}

export function Timeline({
  review: { events, approval },
  reader,
  temporalUrl,
}: Part & { temporalUrl: string | undefined }) {
  return (
    <section aria-labelledby="timeline-title">
      <h2 id="timeline-title">Timeline of the run</h2>
      <details>
        <summary>
          {events.length} steps of <code>{approval.runId}</code>
        </summary>
        <Steps events={events} reader={reader} />
      </details>
      <TemporalLink url={temporalUrl} />
    </section>
  );
}
