import { searchAudit } from '../../application/audit';
import { auditCursor, auditQuery, auditRowView, auditSearchOf } from '../../http/audit';
import { parseInput } from '../../http/context';
import { answered, askedOf, withDays } from '../asked';
import type { Web, WebContext, WebDependencies } from '../context';
import { doOrShowAgain } from '../forms';
import { respond } from '../layout';
import { requireArea } from '../navigation';
import { signedInOnly } from '../session';
import { AuditPage, type AuditProps } from './page';
import { resultHere, verifyWithin } from './verification';

/** `/audit`: who did what, when, and whether the log still says what was written. */
export function auditRoutes(web: Web, dependencies: WebDependencies): void {
  const only = signedInOnly(dependencies);

  async function show(
    c: WebContext,
    more: Pick<AuditProps, 'verified' | 'notice'> = {},
    status?: number,
  ): Promise<Response> {
    const signedIn = c.get('signedIn');
    const { principal, reader } = signedIn;
    requireArea(principal, 'audit');
    const asked = askedOf(c);
    const { found, wrong } = await answered(async () => {
      const { filter, before, limit } = auditSearchOf(parseInput(auditQuery, withDays(asked, reader)));
      const { rows, next } = await searchAudit(dependencies, principal, filter, before, limit);
      return { items: rows.map(auditRowView), nextCursor: auditCursor(next) };
    });
    const page = <AuditPage {...{ signedIn, asked, listed: found, wrong, ...more }} />;
    return respond(c, page, status ?? (wrong === undefined ? 200 : 422));
  }

  web.get('/audit', only, (c) => show(c));
  web.get('/audit/verify', only, (c) => c.redirect('/audit', 303));

  // By a form of ours alone, since it reads the whole log.
  web.post('/audit/verify', only, (c) =>
    doOrShowAgain(
      c,
      ({ notice }, status) => show(c, { notice }, status),
      async () => {
        const { principal } = c.get('signedIn');
        requireArea(principal, 'audit');
        return verifyWithin(c, dependencies, await (await show(c, { verified: resultHere })).text());
      },
    ),
  );
}
