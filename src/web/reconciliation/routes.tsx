import {
  dismissDifference,
  listDifferences,
  listReconciliations,
  reconciliationRights,
  showDifference,
  startReconciliation,
} from '../../application/reconcile';
import { defaultWindowDays } from '../../domain/reconciliation/difference';
import { parseInput } from '../../http/context';
import { cursorOf, differenceFilterOf, differenceQuery, dismissBody } from '../../http/reconciliations';
import { pathPart, type Asked } from '../asked';
import type { SignedIn, Web, WebContext, WebDependencies } from '../context';
import { Done, doOrShowAgain, textOf, type Again } from '../forms';
import { respond } from '../layout';
import { liveListRoutes } from '../liveListRoutes';
import { requireArea, requireScope } from '../navigation';
import { signedInOnly } from '../session';
import { DifferencePage } from './differencePage';
import { ReconciliationPage } from './listPage';

/** So many of the last reconciliations are shown. */
const latest = 5;

/** `/reconciliation`: what differs from the provider's books, and what to do about it. */
export function reconciliationRoutes(web: Web, dependencies: WebDependencies): void {
  const only = signedInOnly(dependencies);

  async function find({ principal }: SignedIn, { status: of, ...rest }: Asked) {
    const query = parseInput(differenceQuery, of === 'any' ? rest : { ...rest, status: of });
    const [{ items, nextCursor }, { items: runs }, rights] = await Promise.all([
      listDifferences(dependencies, principal, differenceFilterOf(query)),
      listReconciliations(dependencies, principal, { limit: latest }),
      reconciliationRights(dependencies, principal),
    ]);
    return { items, nextCursor: cursorOf(nextCursor), runs, rights };
  }
  const asked = ({ done: _done, ...given }: Asked): Asked => ({ status: 'open', ...given });
  const showAll = liveListRoutes(
    web,
    dependencies,
    { area: 'reconciliation', asked, find },
    (props, c, { notice }: Partial<Again> = {}) => (
      <ReconciliationPage
        {...props}
        notice={notice ?? <Done done={c.req.query('done')} words={doneWords} />}
      />
    ),
  );

  async function showOne(c: WebContext, more: Partial<Again> = {}, status = 200): Promise<Response> {
    const signedIn = c.get('signedIn');
    const { principal } = signedIn;
    requireArea(principal, 'reconciliation');
    const difference = await showDifference(dependencies, principal, pathPart(c, 'id'));
    const rights = await reconciliationRights(dependencies, principal);
    return respond(c, <DifferencePage {...{ signedIn, difference, rights, ...more }} />, status);
  }

  web.get('/reconciliation/:id', only, (c) =>
    showOne(c, { notice: <Done done={c.req.query('done')} words={doneWords} /> }),
  );
  web.get('/reconciliation/:id/dismiss', only, (c) =>
    c.redirect(`/reconciliation/${encodeURIComponent(pathPart(c, 'id'))}`, 303),
  );

  web.post('/reconciliation', only, (c) =>
    doOrShowAgain(
      c,
      (again, status) => showAll(c, again, status),
      async () => {
        const { principal } = c.get('signedIn');
        requireScope(principal, 'reconciliation:run');
        await startReconciliation(dependencies, principal, defaultWindowDays);
        return c.redirect('/reconciliation?done=started', 303);
      },
    ),
  );

  web.post('/reconciliation/:id/dismiss', only, (c) =>
    doOrShowAgain(
      c,
      (again, status) => showOne(c, again, status),
      async (typed) => {
        const { principal } = c.get('signedIn');
        requireArea(principal, 'reconciliation');
        const { id } = await showDifference(dependencies, principal, pathPart(c, 'id'));
        requireScope(principal, 'reconciliation:run');
        const { comment } = parseInput(dismissBody, { comment: textOf(typed, 'comment') });
        await dismissDifference(dependencies, principal, id, comment);
        return c.redirect(`/reconciliation/${id}?done=dismissed`, 303);
      },
    ),
  );
}

const doneWords = {
  started: "Our books are being compared with the provider's; what is found appears here.",
  dismissed: 'Dismissed. It stays so while its figures stay.',
};
