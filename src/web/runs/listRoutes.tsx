import { countRefunds, listRefunds } from '../../application/readRefunds';
import { parseInput } from '../../http/context';
import { encodeCursor } from '../../http/cursor';
import { refundFilterOf, refundQuery } from '../../http/refundQuery';
import { answered, askedOf, withDays } from '../asked';
import type { Web, WebDependencies } from '../context';
import { respond } from '../layout';
import { requireArea } from '../navigation';
import { signedInOnly } from '../session';
import { RunsPage } from './listPage';

/** `/runs` */
export function runListRoutes(web: Web, dependencies: WebDependencies): void {
  web.get('/runs', signedInOnly(dependencies), async (c) => {
    const signedIn = c.get('signedIn');
    const { principal, reader } = signedIn;
    requireArea(principal, 'runs');
    const asked = askedOf(c);
    const { found, wrong } = await answered(async () => {
      const filter = refundFilterOf(parseInput(refundQuery, withDays(asked, reader)));
      const [{ items, nextCursor }, counts] = await Promise.all([
        listRefunds(dependencies, principal, filter),
        countRefunds(dependencies, principal),
      ]);
      return { items, nextCursor: encodeCursor(nextCursor), counts };
    });
    const page = <RunsPage signedIn={signedIn} asked={asked} listed={found} wrong={wrong} />;
    return respond(c, page, wrong === undefined ? 200 : 422);
  });
}
