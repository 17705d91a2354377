import { cancelRefund } from '../../application/cancelRefund';
import { inspectRun, type RunInspection } from '../../application/inspectRun';
import { reviewRefund } from '../../application/reviewRefund';
import { CountersignError } from '../../domain/errors';
import { reviewBody, type ReviewBody } from '../../domain/refund/review';
import { parseInput } from '../../http/context';
import { pathPart } from '../asked';
import { Confirm } from '../confirm';
import type { Typed, Web, WebContext, WebDependencies } from '../context';
import { Done, doOrShowAgain, textOf } from '../forms';
import { respond } from '../layout';
import { digestOf, streamState } from '../live';
import { requireArea, requireScope } from '../navigation';
import { amountText } from '../reader';
import { signedInOnly } from '../session';
import { reviewWords } from '../words';
import { RunPage, type RunPageProps } from './runPage';

/** What is told to nobody at once, such as the call to the provider; a run that is open is looked at this often, ms. */
const lookEveryMs = 5_000;

/** `/runs/{runId}`, its events, and what a person may do there; the use cases are those of the API. */
export function runRoutes(web: Web, dependencies: WebDependencies): void {
  const only = signedInOnly(dependencies);

  const inspected = (c: WebContext) => {
    const { principal } = c.get('signedIn');
    requireArea(principal, 'runs');
    return inspectRun(dependencies, principal, pathPart(c, 'id'));
  };

  async function show(
    c: WebContext,
    more: Pick<RunPageProps, 'typed' | 'notice' | 'wrong'>,
    status = 200,
  ): Promise<Response> {
    const signedIn = c.get('signedIn');
    const inspection = await inspected(c);
    const temporalUrl = dependencies.temporalRunUrl?.(signedIn.principal.tenant, inspection.run.runId);
    const props = { inspection, signedIn, temporalUrl, digest: digestOf(inspection) };
    return respond(c, <RunPage {...props} {...more} />, status);
  }

  const doHere = (c: WebContext, work: (found: RunInspection, typed: Typed) => Promise<Response>) =>
    doOrShowAgain(
      c,
      ({ error, ...again }, status) => show(c, { ...again, wrong: error && wrongFieldOf(error) }, status),
      async (typed) => work(await inspected(c), typed),
    );

  web.get('/runs/:id', only, (c) =>
    show(c, { notice: <Done done={c.req.query('done')} words={doneWords} /> }),
  );

  web.get('/runs/:id/events', only, (c) => {
    const runId = pathPart(c, 'id');
    const subscribe = (changed: () => void) => dependencies.watch.subscribe(runId, changed);
    return streamState(c, dependencies, { subscribe, lookEveryMs }, async () => digestOf(await inspected(c)));
  });

  for (const path of ['/runs/:id/review', '/runs/:id/cancel'] as const)
    web.get(path, only, (c) => c.redirect(`/runs/${encodeURIComponent(pathPart(c, 'id'))}`, 303));

  web.post('/runs/:id/review', only, (c) =>
    doHere(c, async (found, typed) => {
      const { principal } = c.get('signedIn');
      requireScope(principal, 'refunds:review');
      const body = reviewOf(typed, found);
      if (typed['confirmed'] === undefined) return askReview(c, found, body);
      const { status } = await reviewRefund(dependencies, principal, found.run.runId, body);
      return c.redirect(`/runs/${found.run.runId}?done=${status === 'recorded' ? status : body.action}`, 303);
    }),
  );

  web.post('/runs/:id/cancel', only, (c) =>
    doHere(c, async (found, typed) => {
      const signedIn = c.get('signedIn');
      requireScope(signedIn.principal, 'refunds:propose');
      const { runId } = found.run;
      if (typed['confirmed'] === undefined) {
        if (found.refusals.cancel !== null) throw new CountersignError('forbidden', found.refusals.cancel);
        const amount = amountText(found.run.arguments.amount, signedIn.reader);
        const asks = {
          title: `Cancel the refund of ${amount}?`,
          yes: 'Yes, cancel it',
          area: 'runs',
          action: `/runs/${runId}/cancel`,
          back: `/runs/${runId}`,
        } as const;
        return respond(
          c,
          <Confirm {...asks} signedIn={signedIn}>
            <p>It ends as cancelled, what it holds of the payment is free again, and nothing is paid.</p>
          </Confirm>,
        );
      }
      const { status } = await cancelRefund(dependencies, signedIn.principal, runId);
      return c.redirect(`/runs/${runId}?done=${status}`, 303);
    }),
  );
}

/** @throws CountersignError review_not_open, version_conflict for a form of an earlier review, invalid_request */
function reviewOf(typed: Typed, { run, refusals }: RunInspection): ReviewBody {
  if (!run.review) throw new CountersignError('review_not_open', `the refund is ${run.phase}`);
  if (typed['round'] !== String(run.review.round)) {
    throw new CountersignError(
      'version_conflict',
      'this waits for another review than the one that you read',
    );
  }
  const [comment, refundId] = [textOf(typed, 'comment'), textOf(typed, 'refundId')];
  const body = parseInput(reviewBody, {
    action: typed['action'],
    ...(typed['action'] === 'resolve_paid' && refundId !== '' ? { refundId } : {}),
    ...(comment === '' ? {} : { comment }),
  });
  if (refusals.review !== null && typed['confirmed'] === undefined)
    throw new CountersignError('forbidden', refusals.review);
  return body;
}

function askReview(
  c: WebContext,
  { run }: RunInspection,
  { action, refundId, comment }: ReviewBody,
): Response {
  const signedIn = c.get('signedIn');
  const [does, means] = reviewWords[action];
  const amount = amountText(run.arguments.amount, signedIn.reader);
  const asks = {
    title: `${does}: ${amount}?`,
    yes: `Yes, ${does.toLowerCase()}`,
    area: 'runs',
    action: `/runs/${run.runId}/review`,
    back: `/runs/${run.runId}`,
  } as const;
  return respond(
    c,
    <Confirm {...asks} signedIn={signedIn} typed={c.get('typed')}>
      <p>{means}</p>
      <dl class="what">
        <div>
          <dt>Payment</dt>
          <dd>
            <code>{run.paymentId}</code>
          </dd>
        </div>
        {refundId !== undefined && (
          <div>
            <dt>Paid by</dt>
            <dd>
              <code>{refundId}</code>
            </dd>
          </div>
        )}
        {comment !== undefined && (
          <div>
            <dt>Your note</dt>
            <dd>{comment}</dd>
          </div>
        )}
      </dl>
    </Confirm>,
  );
}

function wrongFieldOf({ code, details }: CountersignError): RunPageProps['wrong'] {
  if (code === 'sensitive_text') return details['field'] === 'refundId' ? 'refundId' : 'comment';
  const [first] = (details['issues'] ?? []) as { path?: string }[];
  return first?.path === 'refundId' || first?.path === 'comment' ? first.path : undefined;
}

const doneWords: Readonly<Record<string, string>> = {
  recorded: 'It is on record, and takes effect as soon as a worker is up.',
  cancelled: 'Cancelled.',
  retry: 'Done: the run tries again.',
  resolve_paid: 'Done: the run goes on as paid.',
  fail: 'Done: the run ends as failed.',
};
