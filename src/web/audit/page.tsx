import type { Child } from 'hono/jsx';
import type { auditRowView } from '../../http/audit';
import type { Asked } from '../asked';
import type { SignedIn } from '../context';
import { Day, Show, Text } from '../filterFields';
import { Page, Wrong } from '../layout';
import { leadsTo } from '../navigation';
import { Paging } from '../paging';
import { Head } from '../table';
import { When } from '../time';
import { spaced } from '../words';

type Row = ReturnType<typeof auditRowView>;

export interface AuditProps {
  readonly signedIn: SignedIn;
  readonly asked: Asked;
  readonly listed: { readonly items: readonly Row[]; readonly nextCursor: string | null } | undefined;
  readonly wrong: string | undefined;
  /** What came of verifying it. */
  readonly verified?: Child;
  readonly notice?: Child;
}

export function AuditPage({ signedIn, asked, listed, wrong, verified, notice }: AuditProps) {
  return (
    <Page title="Audit" signedIn={signedIn} area="audit">
      <h1>The audit log</h1>
      {notice}
      {verified}
      <form method="post" action="/audit/verify" data-plain>
        <input type="hidden" name="csrf" value={signedIn.csrf} />
        <button>Verify the whole log</button>{' '}
        <span class="faint">
          Computes every hash and checks every signature here. <code>countersign audit verify</code> does it
          on your own machine, which believes no server.
        </span>
      </form>
      <Wrong says={wrong} />
      <form method="get" action="/audit" class="filters" role="search" aria-label="Audit rows">
        <Text name="run" label="Run or chain" value={asked['run']} hint="run_…" size={20} />
        <Text name="actor" label="Actor" value={asked['actor']} hint="id" size={10} />
        <Text name="event" label="Action" value={asked['event']} hint="refund_sent" size={16} />
        <Day name="from" label="From day" value={asked['from']} />
        <Day name="to" label="To day" value={asked['to']} />
        <Show path="/audit" />
      </form>
      {listed?.items.length === 0 && <p class="empty">No row fits.</p>}
      {listed && listed.items.length > 0 && <Rows rows={listed.items} signedIn={signedIn} />}
      {listed && <Paging path="/audit" of="rows" asked={asked} nextCursor={listed.nextCursor} />}
    </Page>
  );
}

function Rows({ rows, signedIn: { reader, principal } }: { rows: readonly Row[]; signedIn: SignedIn }) {
  const linked = leadsTo(principal, 'runs');
  return (
    <table>
      <caption class="unseen">Rows, newest first</caption>
      <Head columns={['When', 'What', 'By', { wide: 'Chain' }]} />
      <tbody>
        {rows.map((row) => (
          <tr>
            <th scope="row">
              <When at={row.at} reader={reader} />
            </th>
            <td>
              {spaced(row.event)}
              {row.reason !== null && `: ${spaced(row.reason).toLowerCase()}`}
              <More row={row} />
            </td>
            <td>{row.actor}</td>
            <td class="wide">
              {linked && row.runId.startsWith('run_') ? (
                <a href={`/runs/${row.runId}`}>{row.runId}</a>
              ) : (
                <code>{row.runId}</code>
              )}{' '}
              <span class="faint">row {row.seq}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Everything else that the row has, and what chains it to the one before. */
function More({ row }: { row: Row }) {
  const { before, after, policyVersion, effectKey, providerId, step, hash, prevHash } = row;
  const more = { before, after, policyVersion, effectKey, providerId, step, prevHash, hash };
  return (
    <details>
      <summary>All of it</summary>
      <dl class="facts">
        {Object.entries(more).map(
          ([name, value]) =>
            value !== null && (
              <div>
                <dt>{spaced(name)}</dt>
                <dd>
                  <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
                </dd>
              </div>
            ),
        )}
      </dl>
    </details>
  );
}
