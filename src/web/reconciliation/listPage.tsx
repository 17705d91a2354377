import type { Child } from 'hono/jsx';
import type { reconciliationRights } from '../../application/reconcile';
import type { DifferenceView, ReconciliationView } from '../../application/reconciliationViews';
import { holdsScope } from '../../domain/access/scopes';
import { differenceStatuses } from '../../domain/reconciliation/difference';
import type { Asked } from '../asked';
import type { SignedIn } from '../context';
import { Select, Show, type Choice } from '../filterFields';
import { Notice, Page } from '../layout';
import { Paging } from '../paging';
import type { Reader } from '../reader';
import { Age } from '../time';
import { sentence, spaced } from '../words';
import { differenceStatusWords, differenceWords } from './words';

export type Rights = Awaited<ReturnType<typeof reconciliationRights>>;

interface ReconciliationProps {
  readonly signedIn: SignedIn;
  readonly asked: Asked;
  readonly listed:
    { readonly items: readonly DifferenceView[]; readonly nextCursor: string | null } | undefined;
  readonly wrong: string | undefined;
  /** The last ones, newest first. */
  readonly runs: readonly ReconciliationView[];
  readonly rights: Rights;
  readonly notice?: Child;
}

export function ReconciliationPage(props: ReconciliationProps) {
  const { signedIn, asked, listed, wrong, runs, rights, notice } = props;
  const { reader, csrf, principal } = signedIn;
  const starts = rights.starts && holdsScope(principal.key.scopes, ['reconciliation:run']);
  return (
    <Page title="Reconciliation" signedIn={signedIn} area="reconciliation">
      <h1>Our books and the provider's</h1>
      {notice}
      <Latest runs={runs} reader={reader} />
      {starts && (
        <form method="post" action="/reconciliation">
          <input type="hidden" name="csrf" value={csrf} />
          <button>Compare now</button> <span class="faint">It moves no money.</span>
        </form>
      )}
      <h2>Differences</h2>
      {wrong !== undefined && (
        <Notice kind="wrong">
          <p>{sentence(wrong)}</p>
        </Notice>
      )}
      <form method="get" action="/reconciliation" class="filters" role="search" aria-label="Differences">
        <Select
          name="status"
          label="Status"
          chosen={asked['status']}
          choices={[
            ...differenceStatuses.map((status): Choice => [status, differenceStatusWords[status]]),
            ['any', 'Any'],
          ]}
        />
        <Show path="/reconciliation" />
      </form>
      {listed?.items.length === 0 && (
        <p class="empty">
          {asked['status'] === 'open'
            ? 'Nothing differs that waits for a person.'
            : 'There are none of these.'}
        </p>
      )}
      <ul class="sheets">
        {listed?.items.map((difference) => (
          <One difference={difference} reader={reader} />
        ))}
      </ul>
      {listed && (
        <Paging path="/reconciliation" of="differences" asked={asked} nextCursor={listed.nextCursor} />
      )}
    </Page>
  );
}

function One({ difference, reader }: { difference: DifferenceView; reader: Reader }) {
  const { id, kind, status, paymentId, explanation, firstSeenAt } = difference;
  const { name, todo } = differenceWords[kind];
  return (
    <li>
      <article aria-labelledby={`of-${id}`}>
        <h3 id={`of-${id}`}>
          <a href={`/reconciliation/${id}`}>{name}</a>
        </h3>
        <p>{explanation}</p>
        <p>
          <strong>What to do:</strong> {todo}
        </p>
        <p class="faint">
          <span class="tag">{differenceStatusWords[status]}</span> Payment {paymentId}, first seen{' '}
          <Age at={firstSeenAt} reader={reader} />
        </p>
      </article>
    </li>
  );
}

function Latest({ runs, reader }: { runs: readonly ReconciliationView[]; reader: Reader }) {
  if (runs.length === 0) return <p class="faint">They were not compared yet.</p>;
  return (
    <table>
      <caption class="unseen">The last reconciliations, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Begun</th>
          <th scope="col">State</th>
          <th scope="col" class="wide">
            Payments
          </th>
          <th scope="col">Differences</th>
          <th scope="col" class="wide">
            By
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map(({ state, startedAt, compared, differences, requestedBy, errorCode }) => (
          <tr>
            <th scope="row">
              <Age at={startedAt} reader={reader} />
            </th>
            <td>
              {spaced(state)}
              {errorCode !== null && <span class="tag risk">{errorCode}</span>}
            </td>
            <td class="wide">{compared}</td>
            <td>{differences}</td>
            <td class="wide">{requestedBy}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
