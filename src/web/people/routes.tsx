import { listPeople } from '../../application/admin/people';
import { listHolds } from '../../application/memoryReviews';
import { holdsScope } from '../../domain/access/scopes';
import { CountersignError } from '../../domain/errors';
import { askedOf } from '../asked';
import type { Web, WebDependencies } from '../context';
import { respond } from '../layout';
import { leadsTo, requireArea } from '../navigation';
import { signedInOnly } from '../session';
import { PeoplePage } from './page';

/** More than this nobody reads; whoever is not among them is found by his id. */
const most = 100;

/** `/people`: administrators find whose memory they have to look at. What is remembered stands with the memory pages. */
export function peopleRoutes(web: Web, dependencies: WebDependencies): void {
  const only = signedInOnly(dependencies);

  web.get('/people', only, async (c) => {
    const signedIn = c.get('signedIn');
    const { principal } = signedIn;
    requireArea(principal, 'people');
    if (!leadsTo(principal, 'people'))
      throw new CountersignError('forbidden', 'only administrators look at what is remembered about others');
    const { owner } = askedOf(c);
    if (owner !== undefined) return c.redirect(`/people/${encodeURIComponent(owner)}/memory`, 303);
    const [people, held] = holdsScope(principal.key.scopes, ['admin'])
      ? await Promise.all([
          listPeople(dependencies, principal, { limit: most }),
          listHolds(dependencies, principal, { limit: most }),
        ])
      : [];
    return respond(
      c,
      <PeoplePage signedIn={signedIn} people={people?.items ?? []} held={held?.items ?? []} />,
    );
  });

  web.get('/people/:owner', only, (c) =>
    c.redirect(`/people/${encodeURIComponent(c.req.param('owner'))}/memory`, 303),
  );
}
