import { batchOrders, changeBatch, mayChangeBatch } from '../../application/batches/changeBatch';
import { listBatches, listItems, showBatch } from '../../application/batches/readBatches';
import { holdsScope } from '../../domain/access/scopes';
import { batchFilterOf, batchQuery } from '../../http/batchQuery';
import { sendResult } from '../../http/batchResult';
import { parseInput } from '../../http/context';
import { encodeCursor } from '../../http/cursor';
import { pathPart, type Asked } from '../asked';
import { Confirm } from '../confirm';
import type { SignedIn, Web, WebContext, WebDependencies } from '../context';
import { Done, doOrShowAgain } from '../forms';
import { respond } from '../layout';
import { liveListRoutes } from '../liveListRoutes';
import { requireArea, requireScope } from '../navigation';
import { signedInOnly } from '../session';
import { BatchPage, type BatchPageProps } from './batchPage';
import { BatchesPage } from './listPage';

/** How many rows that were left out a page names; the result file has all. */
const namedRows = 50;

/** `/batches`, `/batches/{batchId}` and its result file, and what a person may do there; the use cases are those of the API. */
export function batchPageRoutes(web: Web, dependencies: WebDependencies): void {
  const only = signedInOnly(dependencies);

  /** For whoever may see it. */
  const whose = (c: WebContext) => {
    const { principal } = c.get('signedIn');
    requireArea(principal, 'batches');
    return { principal, batchId: pathPart(c, 'id') };
  };

  async function show(c: WebContext, more: Pick<BatchPageProps, 'notice'>, status = 200): Promise<Response> {
    const signedIn = c.get('signedIn');
    const { principal, batchId } = whose(c);
    const batch = await showBatch(dependencies, principal, batchId);
    const page = { after: 0, limit: namedRows, outcome: 'left_out' } as const;
    const { items: leftOut } = await listItems(dependencies, principal, batchId, page);
    const mayChange =
      holdsScope(principal.key.scopes, ['runs:start']) &&
      (await mayChangeBatch(dependencies, principal, batchId));
    return respond(c, <BatchPage {...{ batch, leftOut, mayChange, signedIn }} {...more} />, status);
  }

  async function find({ principal }: SignedIn, asked: Asked) {
    const filter = batchFilterOf(parseInput(batchQuery, asked));
    const { items, nextCursor } = await listBatches(dependencies, principal, filter);
    return { items, nextCursor: encodeCursor(nextCursor) };
  }
  liveListRoutes(web, dependencies, { area: 'batches', find }, (props) => <BatchesPage {...props} />);

  web.get('/batches/:id', only, (c) =>
    show(c, { notice: <Done done={c.req.query('done')} words={doneWords} /> }),
  );

  web.get('/batches/:id/result', only, (c) => {
    const { principal, batchId } = whose(c);
    return sendResult(c, dependencies, principal, batchId);
  });

  for (const order of batchOrders) {
    const path = `/batches/:id/${order}` as const;
    web.get(path, only, (c) => c.redirect(`/batches/${encodeURIComponent(pathPart(c, 'id'))}`, 303));
    web.post(path, only, (c) =>
      doOrShowAgain(
        c,
        ({ notice }, status) => show(c, { notice }, status),
        async (typed) => {
          const { principal, batchId } = whose(c);
          const batch = await showBatch(dependencies, principal, batchId);
          requireScope(principal, 'runs:start');
          if (order === 'cancel' && typed['confirmed'] === undefined) {
            const asks = {
              title: `Cancel the batch of ${batch.rows} rows?`,
              yes: 'Yes, cancel it',
              area: 'batches',
              action: `/batches/${batchId}/cancel`,
              back: `/batches/${batchId}`,
            } as const;
            return respond(
              c,
              <Confirm {...asks} signedIn={c.get('signedIn')}>
                <p>
                  Rows that have not started never do, and refunds that wait for people are cancelled. What is
                  paid already stays paid.
                </p>
              </Confirm>,
            );
          }
          await changeBatch(dependencies, principal, batchId, order);
          return c.redirect(`/batches/${batchId}?done=${order}`, 303);
        },
      ),
    );
  }
}

const doneWords: Readonly<Record<string, string>> = {
  pause: 'Paused: no further row starts; those that move go on to their end.',
  resume: 'It goes on with the next row.',
  cancel: 'Cancelled: rows that have not started never do.',
};
