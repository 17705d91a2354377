import { raw } from 'hono/html';
import { stream } from 'hono/streaming';
import { verifyAuditLog } from '../../application/verifyAuditLog';
import type { WebContext, WebDependencies } from '../context';
import { htmlOf, Notice, type Shown } from '../layout';
import { spaced } from '../words';

type Report = Awaited<ReturnType<typeof verifyAuditLog>>;

/** Where a page says what came of verifying the log. */
export const resultHere = raw('<!-- what came of it -->');
/** After so many rows the page says how far it is. */
const toldEvery = 10_000;
/** More findings are not listed. */
const listed = 50;

/**
 * Sends a page as far as its `resultHere`, then how far verifying is, then what came of it and the rest: a long log may take
 * minutes, and a browser shows what has come by then. It ends where nobody waits for it any more.
 */
export function verifyWithin(c: WebContext, dependencies: WebDependencies, page: string): Response {
  const { principal } = c.get('signedIn');
  const [before = '', after = ''] = page.split(htmlOf(resultHere));
  return stream(c, async (out) => {
    const gone = new AbortController();
    out.onAbort(() => gone.abort());
    let told = 0;
    async function progress(rows: number): Promise<void> {
      if (rows < told + toldEvery) return;
      told = rows;
      await out.write(`${rows} rows … `);
    }
    await out.write(`${before}<p class="faint">Checking: `);
    let result: Shown = <Interrupted />;
    try {
      const report = await verifyAuditLog(dependencies, principal, { progress, signal: gone.signal });
      result = <Verified report={report} />;
    } catch (error) {
      dependencies.onUnexpected(error, c.get('requestId'));
    }
    await out.write(`that is all.</p>${htmlOf(result)}${after}`);
  });
}

function Interrupted() {
  return (
    <Notice kind="wrong">
      <p>It was interrupted, and says nothing about the log. Verify it again in a moment.</p>
    </Notice>
  );
}

function Verified({ report: { ok, complete, rows, runs, anchors, findings } }: { report: Report }) {
  return (
    <Notice kind={ok ? 'done' : 'wrong'}>
      <p>
        {rows} rows of {runs} chains and {anchors} signed anchors were checked.
      </p>
      {ok && complete && <p>Nothing was changed, put in or taken out.</p>}
      {!complete && (
        <p>
          It was ended there, since too much is wrong: <code>countersign audit verify</code> names all of it.
        </p>
      )}
      {findings.length > 0 && (
        <ul>
          {findings.slice(0, listed).map(({ where, seq, kind, detail }) => (
            <li>
              {where}, row {seq}: {spaced(kind).toLowerCase()}; {detail}
            </li>
          ))}
          {findings.length > listed && <li>and {findings.length - listed} more.</li>}
        </ul>
      )}
    </Notice>
  );
}
