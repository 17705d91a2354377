import { decideMany } from '../../application/decideMany';
import { reviewChosen } from '../../application/reviewChosen';
import { manyDecisionsBody, mostTogether } from '../../domain/approval/manyDecisions';
import { CountersignError } from '../../domain/errors';
import { parseInput } from '../../http/context';
import { queryOf } from '../asked';
import type { Web, WebContext, WebDependencies } from '../context';
import { refusalText } from '../forms';
import { Interruption, respond, Wrong } from '../layout';
import { requireScope } from '../navigation';
import { signedInOnly } from '../session';
import { requireReading, showList } from './listRoutes';
import { askedBefore, boxOf, chosenOf, kindOf, manyDecisionsOf } from './manyInput';
import { ManyConfirmPage, type ManyConfirmProps } from './manyConfirmPage';
import { ManyResultPage } from './manyResultPage';

/** `/inbox/decisions`: what is chosen of the list, looked at once more together, and decided. */
export function manyRoutes(web: Web, dependencies: WebDependencies): void {
  const only = signedInOnly(dependencies);

  // Where a browser comes to that reloads, or follows a copied address.
  web.get('/inbox/decisions', only, (c) => c.redirect('/inbox', 303));

  web.post('/inbox/decisions', only, async (c) => {
    const typed = c.get('typed');
    requireReading(c.get('signedIn').principal);
    const interrupted = c.get('interrupted');
    const chosen = chosenOf(typed);
    const listAgain = (notice?: ManyConfirmProps['notice'], status = 200) =>
      showList(c, dependencies, askedBefore(typed), {
        chosen: typed['all'] === undefined ? new Set(chosen.map(boxOf)) : 'all',
        notice,
        status,
      });
    if (typed['confirmed'] === undefined && interrupted)
      return listAgain(<Interruption {...interrupted} />, interrupted.status);
    if (typed['all'] !== undefined || typed['back'] !== undefined) return listAgain();
    if (chosen.length === 0 || chosen.length > mostTogether) {
      const says =
        chosen.length === 0
          ? 'Nothing is chosen: tick what is to be decided together.'
          : `At most ${mostTogether} are decided together; ${chosen.length} are chosen.`;
      return listAgain(<Wrong says={says} />, 422);
    }
    requireScope(c.get('signedIn').principal, 'approvals:decide');
    if (interrupted) return confirm(c, <Interruption {...interrupted} />, interrupted.status);
    return typed['confirmed'] === undefined ? confirm(c) : decided(c);
  });

  async function confirm(
    c: WebContext,
    notice?: ManyConfirmProps['notice'],
    status = 200,
  ): Promise<Response> {
    const [typed, signedIn] = [c.get('typed'), c.get('signedIn')];
    const review = await reviewChosen(dependencies, signedIn.principal, kindOf(typed), chosenOf(typed));
    return respond(
      c,
      <ManyConfirmPage
        kind={kindOf(typed)}
        review={review}
        signedIn={signedIn}
        typed={typed}
        notice={notice}
      />,
      status,
    );
  }

  async function decided(c: WebContext): Promise<Response> {
    const [typed, signedIn] = [c.get('typed'), c.get('signedIn')];
    const { principal } = signedIn;
    try {
      const body = parseInput(manyDecisionsBody, manyDecisionsOf(typed));
      // Read before anything is decided: what then came of each is told beside it, whatever else fails.
      const { items } = await reviewChosen(dependencies, principal, body.decision, chosenOf(typed));
      const outcomes = await decideMany(dependencies, principal, body, 'web', (error) =>
        dependencies.onUnexpected(error, c.get('requestId')),
      );
      const back = `/inbox?${queryOf(askedBefore(typed))}`;
      return respond(
        c,
        <ManyResultPage
          kind={body.decision}
          signedIn={signedIn}
          items={items}
          outcomes={outcomes}
          back={back}
        />,
      );
    } catch (error) {
      if (!(error instanceof CountersignError) || error.status >= 500) throw error;
      const notice = (
        <Wrong says={refusalText(error)}>
          <p>Nothing was decided, and nothing that you typed is lost.</p>
        </Wrong>
      );
      return confirm(c, notice, error.status);
    }
  }
}
