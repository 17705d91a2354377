import { countRefunds, listRefunds } from '../../application/readRefunds';
import { parseInput } from '../../http/context';
import { encodeCursor } from '../../http/cursor';
import { refundFilterOf, refundQuery } from '../../http/refundQuery';
import { withDays, type Asked } from '../asked';
import type { SignedIn, Web, WebDependencies } from '../context';
import { liveListRoutes } from '../liveListRoutes';
import { RunsPage } from './listPage';

/** `/runs` and its events. */
export function runListRoutes(web: Web, dependencies: WebDependencies): void {
  async function find({ principal, reader }: SignedIn, asked: Asked) {
    const filter = refundFilterOf(parseInput(refundQuery, withDays(asked, reader)));
    const [{ items, nextCursor }, counts] = await Promise.all([
      listRefunds(dependencies, principal, filter),
      countRefunds(dependencies, principal),
    ]);
    return { items, nextCursor: encodeCursor(nextCursor), counts };
  }
  liveListRoutes(web, dependencies, { area: 'runs', find }, (props) => <RunsPage {...props} />);
}
