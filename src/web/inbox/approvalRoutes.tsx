import { createHash } from 'node:crypto';
import { countApprovals } from '../../application/readInbox';
import { decide } from '../../application/decide';
import { rehearseDecision } from '../../application/rehearseDecision';
import { reviewApproval, type ApprovalReview } from '../../application/reviewApproval';
import { holdsScope, type Scope } from '../../domain/access/scopes';
import type { DecisionBody } from '../../domain/approval/decision';
import { CountersignError } from '../../domain/errors';
import type { Typed, Web, WebContext, WebDependencies } from '../context';
import { Notice, respond } from '../layout';
import { signedInOnly } from '../session';
import { answerTo, DoneNotice } from './answers';
import { ApprovalPage, type ApprovalPageProps } from './approvalPage';
import { ConfirmPage } from './confirmPage';
import { decisionOf, fieldOf } from './decisionInput';
import { requireReading } from './listRoutes';
import { streamState } from './stream';

/** `/inbox/{id}`, its events, and what is decided about it. */
export function approvalRoutes(web: Web, dependencies: WebDependencies): void {
  const only = signedInOnly(dependencies);
  const review = (c: WebContext) => {
    const { principal } = c.get('signedIn');
    requireReading(principal);
    return reviewApproval(dependencies, principal, idOf(c));
  };

  async function show(
    c: WebContext,
    more: Pick<ApprovalPageProps, 'typed' | 'notice' | 'wrong'>,
    status = 200,
  ): Promise<Response> {
    const signedIn = c.get('signedIn');
    const { tenant } = signedIn.principal;
    const [found, waiting] = await Promise.all([review(c), countApprovals(dependencies, signedIn.principal)]);
    const temporalUrl = dependencies.temporalRunUrl?.(tenant, found.approval.runId);
    const props = { review: found, signedIn, waiting, digest: digestOf(found), temporalUrl };
    return respond(c, <ApprovalPage {...props} {...more} />, status);
  }

  web.get('/inbox/:id', only, async (c) =>
    show(c, { notice: <DoneNotice done={c.req.query('done')} review={await review(c)} /> }),
  );

  web.get('/inbox/:id/events', only, async (c) => {
    await review(c);
    return streamState(c, dependencies, async () => digestOf(await review(c)));
  });

  // Where a browser comes to that reloads, or follows a copied address.
  web.get('/inbox/:id/decisions', only, (c) => c.redirect(`/inbox/${encodeURIComponent(idOf(c))}`, 303));

  web.post('/inbox/:id/decisions', only, async (c) => {
    const typed = c.get('typed');
    const found = await review(c);
    const interrupted = c.get('interrupted');
    if (interrupted) {
      const notice = (
        <Notice kind={interrupted.status === 403 ? 'wrong' : 'note'}>
          <p>{interrupted.says}</p>
        </Notice>
      );
      return show(c, { typed: carriedOver(typed), notice }, interrupted.status);
    }
    if (typed['back'] !== undefined) return show(c, { typed: carriedOver(typed) });
    try {
      const body = decisionOf(typed, found);
      requireDeciding(c, body);
      if (asksTwice(body) && typed['confirmed'] === undefined) {
        await rehearseDecision(dependencies, c.get('signedIn').principal, found.approval.id, body);
        return respond(
          c,
          <ConfirmPage review={found} signedIn={c.get('signedIn')} typed={typed} body={body} />,
        );
      }
      const outcome = await decide(dependencies, c.get('signedIn').principal, found.approval.id, body, 'web');
      const done = outcome.status === 'recorded' ? 'recorded' : body.decision;
      return c.redirect(`/inbox/${found.approval.id}?done=${done}`, 303);
    } catch (error) {
      if (!(error instanceof CountersignError) || error.status >= 500 || error.status === 404) throw error;
      const notice = answerTo(error, typed, await review(c), c.get('signedIn'));
      const wrong = { field: fieldOf(error), says: error.detail };
      return show(c, { typed: carriedOver(typed), notice, wrong }, error.status);
    }
  });
}

/** What leads to money is asked twice. */
function asksTwice({ decision }: DecisionBody): boolean {
  return decision === 'approve' || decision === 'edit';
}

function requireDeciding(c: WebContext, { decision }: DecisionBody): void {
  const needed: Scope[] =
    decision === 'answer_info' ? ['approvals:answer', 'approvals:decide'] : ['approvals:decide'];
  if (holdsScope(c.get('signedIn').principal.key.scopes, needed)) return;
  throw new CountersignError('insufficient_scope', 'your key was not made for deciding', { needed });
}

/** What was typed is shown again; what was only left as it stood follows the proposal. */
function carriedOver(typed: Typed): Typed {
  const { amount, reason, ...rest } = typed;
  return {
    ...rest,
    ...(amount === undefined || amount === typed['shownAmount'] ? {} : { amount }),
    ...(reason === undefined || reason === typed['shownReason'] ? {} : { reason }),
  };
}

function digestOf({ approval, run, refusals }: ApprovalReview): string {
  return createHash('sha256')
    .update(JSON.stringify([approval, run?.phase, refusals]))
    .digest('base64url')
    .slice(0, 22);
}

function idOf(c: WebContext): string {
  const id = c.req.param('id') ?? '';
  // No id has a NUL, and PostgreSQL refuses to compare with one.
  if (id.includes('\u0000')) throw new CountersignError('not_found');
  return id;
}
