import type { Child } from 'hono/jsx';
import type { reconciliationRights } from '../../application/reconcile';
import type { DifferenceView, ReconciliationView } from '../../application/reconciliationViews';
import { holdsScope } from '../../domain/access/scopes';
import { differenceStatuses } from '../../domain/reconciliation/difference';
import { Select, Show, type Choice } from '../filterFields';
import { Page, Wrong } from '../layout';
import { LiveList } from '../liveList';
import type { ListProps } from '../liveListRoutes';
import type { Reader } from '../reader';
import { Head } from '../table';
import { Age } from '../time';
import { spaced } from '../words';
import { differenceStatusWords, differenceWords } from './words';

export type Rights = Awaited<ReturnType<typeof reconciliationRights>>;

type ReconciliationProps = ListProps<{
  readonly items: readonly DifferenceView[];
  readonly nextCursor: string | null;
  /** The last ones, newest first. */
  readonly runs: readonly ReconciliationView[];
  readonly rights: Rights;
}> & { readonly notice?: Child };

export function ReconciliationPage({ signedIn, asked, listed, wrong, notice }: ReconciliationProps) {
  const { reader, csrf, principal } = signedIn;
  const starts = listed?.rights.starts && holdsScope(principal.key.scopes, ['reconciliation:run']);
  return (
    <Page title="Reconciliation" signedIn={signedIn} area="reconciliation">
      <h1>Our books and the provider's</h1>
      {notice}
      {listed && <Latest runs={listed.runs} reader={reader} />}
      {starts && (
        <form method="post" action="/reconciliation">
          <input type="hidden" name="csrf" value={csrf} />
          <button>Compare now</button> <span class="faint">It moves no money.</span>
        </form>
      )}
      <h2>Differences</h2>
      <Wrong says={wrong} />
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
      {listed && (
        <LiveList
          {...{ asked, listed }}
          path="/reconciliation"
          of="differences"
          gone="No longer here."
          none={
            <p>
              {asked['status'] === 'open'
                ? 'Nothing differs that waits for a person.'
                : 'There are none of these.'}
            </p>
          }
        >
          <ul class="sheets" data-rows>
            {listed.items.map((difference) => (
              <One difference={difference} reader={reader} />
            ))}
          </ul>
        </LiveList>
      )}
    </Page>
  );
}

function One({ difference, reader }: { difference: DifferenceView; reader: Reader }) {
  const { id, kind, status, paymentId, explanation, firstSeenAt } = difference;
  const { name, todo } = differenceWords[kind];
  return (
    <li data-row={id}>
      <article aria-labelledby={`of-${id}`}>
        <h3 id={`of-${id}`}>
          <a href={`/reconciliation/${id}`} data-open>
            {name}
          </a>
        </h3>
        <p>{explanation}</p>
        <p>
          <strong>What to do:</strong> {todo}
        </p>
        <p class="faint" data-outcome>
          <span class="tag">{differenceStatusWords[status]}</span> Payment {paymentId}, first seen{' '}
          <Age at={firstSeenAt} reader={reader} />
        </p>
      </article>
    </li>
  );
}

function Latest({ runs, reader }: { runs: readonly ReconciliationView[]; reader: Reader }) {
  if (runs.length === 0) {
    return (
      <p id="latest" class="faint" data-live>
        They were not compared yet.
      </p>
    );
  }
  return (
    <table id="latest" data-live>
      <caption class="unseen">The last reconciliations, newest first</caption>
      <Head columns={['Begun', 'State', { wide: 'Payments' }, 'Differences', { wide: 'By' }]} />
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
