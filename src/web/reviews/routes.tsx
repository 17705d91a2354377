import { listAgentRuns } from '../../application/agent/agentRuns';
import { countApprovals, inboxDaily } from '../../application/readInbox';
import { listRefunds } from '../../application/readRefunds';
import { parseInput } from '../../http/context';
import { encodeCursor } from '../../http/cursor';
import { refundFilterOf, refundQuery } from '../../http/refundQuery';
import type { Asked } from '../asked';
import type { SignedIn, Web, WebDependencies } from '../context';
import { liveListRoutes } from '../liveListRoutes';
import { leadsTo } from '../navigation';
import { ReviewsPage } from './page';

/** Agent runs are counted so far. */
const countedTo = 50;

/** `/reviews` and its events: the runs that need a person, and how people keep up with what waits for a decision. */
export function reviewRoutes(web: Web, dependencies: WebDependencies): void {
  async function find({ principal, reader }: SignedIn, asked: Asked) {
    const filter = refundFilterOf(parseInput(refundQuery, { ...asked, phase: 'needs_review' }));
    const [{ items, nextCursor }, inbox, stuck] = await Promise.all([
      listRefunds(dependencies, principal, filter),
      leadsTo(principal, 'approvals')
        ? Promise.all([
            countApprovals(dependencies, principal),
            inboxDaily(dependencies, principal, reader.timeZone),
          ])
        : undefined,
      leadsTo(principal, 'agents')
        ? listAgentRuns(dependencies, principal, { status: 'needs_review', limit: countedTo })
        : undefined,
    ]);
    return {
      items,
      nextCursor: encodeCursor(nextCursor),
      keepingUp: inbox && { counts: inbox[0], days: inbox[1] },
      agentRuns: stuck && { open: stuck.items.length, countedTo },
    };
  }
  const asked = ({ cursor }: Asked): Asked => (cursor === undefined ? {} : { cursor });
  liveListRoutes(web, dependencies, { area: 'reviews', asked, find }, (props) => <ReviewsPage {...props} />);
}
