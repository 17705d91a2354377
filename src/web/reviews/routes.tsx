import { listAgentRuns } from '../../application/agent/agentRuns';
import { countApprovals, inboxDaily } from '../../application/readInbox';
import { listRefunds } from '../../application/readRefunds';
import { parseInput } from '../../http/context';
import { encodeCursor } from '../../http/cursor';
import { refundFilterOf, refundQuery } from '../../http/refundQuery';
import { askedOf } from '../asked';
import type { Web, WebDependencies } from '../context';
import { respond } from '../layout';
import { leadsTo, requireArea } from '../navigation';
import { signedInOnly } from '../session';
import { ReviewsPage } from './page';

/** Agent runs are counted so far. */
const countedTo = 50;

/** `/reviews`: the runs that need a person, and how people keep up with what waits for a decision. */
export function reviewRoutes(web: Web, dependencies: WebDependencies): void {
  web.get('/reviews', signedInOnly(dependencies), async (c) => {
    const signedIn = c.get('signedIn');
    const { principal } = signedIn;
    requireArea(principal, 'reviews');
    const { cursor } = askedOf(c);
    const asked = cursor === undefined ? {} : { cursor };
    const filter = refundFilterOf(parseInput(refundQuery, { ...asked, phase: 'needs_review' }));
    const [{ items, nextCursor }, inbox, stuck] = await Promise.all([
      listRefunds(dependencies, principal, filter),
      leadsTo(principal, 'approvals')
        ? Promise.all([countApprovals(dependencies, principal), inboxDaily(dependencies, principal)])
        : undefined,
      leadsTo(principal, 'agents')
        ? listAgentRuns(dependencies, principal, { status: 'needs_review', limit: countedTo })
        : undefined,
    ]);
    const listed = { items, nextCursor: encodeCursor(nextCursor) };
    const keepingUp = inbox && { counts: inbox[0], days: inbox[1] };
    const agentRuns = stuck && { open: stuck.items.length, countedTo };
    return respond(c, <ReviewsPage {...{ signedIn, asked, listed, keepingUp, agentRuns }} />);
  });
}
