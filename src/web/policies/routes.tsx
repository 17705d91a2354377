import { comparePolicies, listPolicies, showPolicy } from '../../application/policies';
import { parseInput } from '../../http/context';
import { policyListQuery } from '../../http/policies';
import { askedOf, pathPart } from '../asked';
import type { Web, WebDependencies } from '../context';
import { respond } from '../layout';
import { requireArea } from '../navigation';
import { signedInOnly } from '../session';
import { PoliciesPage, PolicyPage } from './pages';

/** So many versions are offered to compare with. */
const offered = 50;

/** `/policies`: every published version, the newest in words, and what each changed. */
export function policyRoutes(web: Web, dependencies: WebDependencies): void {
  const only = signedInOnly(dependencies);

  web.get('/policies', only, async (c) => {
    const signedIn = c.get('signedIn');
    const { principal } = signedIn;
    requireArea(principal, 'policies');
    const asked = askedOf(c);
    const { cursor, limit } = parseInput(policyListQuery, asked);
    const before = cursor === undefined ? {} : { before: Number(cursor) };
    const { items, next } = await listPolicies(dependencies, principal, { limit, ...before });
    const listed = { items, nextCursor: next === null ? null : String(next) };
    return respond(c, <PoliciesPage signedIn={signedIn} asked={asked} listed={listed} />);
  });

  web.get('/policies/:version', only, async (c) => {
    const signedIn = c.get('signedIn');
    const { principal } = signedIn;
    requireArea(principal, 'policies');
    const policy = await showPolicy(dependencies, principal, pathPart(c, 'version'));
    const { items } = await listPolicies(dependencies, principal, { limit: offered });
    const others = items.map(({ version }) => version).filter((version) => version !== policy.version);
    const earlier = items.find(({ number }) => number < policy.number)?.version;
    const { against = earlier } = askedOf(c);
    const compared =
      against === undefined
        ? undefined
        : { against, ...(await comparePolicies(dependencies, principal, against, policy.version)) };
    return respond(c, <PolicyPage signedIn={signedIn} policy={policy} others={others} compared={compared} />);
  });
}
