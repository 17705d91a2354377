import type { Child } from 'hono/jsx';
import { countApprovals, showApproval } from '../../application/readInbox';
import { showRefund } from '../../application/readRefunds';
import { decide } from '../../application/decide';
import { rehearseDecision } from '../../application/rehearseDecision';
import { reviewApproval, type ApprovalReview } from '../../application/reviewApproval';
import { holdsScope, type Scope } from '../../domain/access/scopes';
import type { DecisionBody } from '../../domain/approval/decision';
import { CountersignError } from '../../domain/errors';
import { refundAction } from '../../domain/refund/state';
import { pathPart } from '../asked';
import type { Typed, Web, WebContext, WebDependencies } from '../context';
import { Interruption, respond } from '../layout';
import { digestOf, streamState } from '../live';
import { signedInOnly } from '../session';
import { answerTo, DoneNotice } from './answers';
import { ApprovalPage, type ApprovalPageProps } from './approvalPage';
import { ConfirmPage } from './confirmPage';
import { decisionOf, fieldOf } from './decisionInput';
import { requireReading } from './listRoutes';

/** `/inbox/{id}`, its events, and what is decided about it. */
export function approvalRoutes(web: Web, dependencies: WebDependencies): void {
  const only = signedInOnly(dependencies);
  const review = (c: WebContext) => {
    const { principal } = c.get('signedIn');
    requireReading(principal);
    return reviewApproval(dependencies, principal, pathPart(c, 'id'));
  };

  interface Showing extends Pick<ApprovalPageProps, 'typed' | 'wrong'> {
    /** Says what has happened, by how it stands now. */
    readonly notice?: (found: ApprovalReview) => Child;
  }

  async function show(c: WebContext, { notice, ...more }: Showing, status = 200): Promise<Response> {
    const signedIn = c.get('signedIn');
    const { tenant } = signedIn.principal;
    const [found, waiting] = await Promise.all([review(c), countApprovals(dependencies, signedIn.principal)]);
    const temporalUrl = dependencies.temporalRunUrl?.(tenant, found.approval.runId);
    const digest = digestOf(found.approval, found.run?.phase);
    const props = { review: found, signedIn, waiting, digest, temporalUrl, notice: notice?.(found) };
    return respond(c, <ApprovalPage {...props} {...more} />, status);
  }

  web.get('/inbox/:id', only, async (c) => {
    const done = c.req.query('done');
    return show(c, { notice: (found) => <DoneNotice done={done} review={found} /> });
  });

  web.get('/inbox/:id/events', only, async (c) => {
    const { principal } = c.get('signedIn');
    requireReading(principal);
    const digest = async () => {
      const approval = await showApproval(dependencies, principal, pathPart(c, 'id'));
      // A batch and a rule of procedure are no refund.
      if (approval.action !== refundAction) return digestOf(approval, undefined);
      return digestOf(approval, (await showRefund(dependencies, principal, approval.runId)).phase);
    };
    const { inboxWatch } = dependencies;
    const news = { subscribe: (changed: () => void) => inboxWatch.subscribe(principal.tenant, changed) };
    return streamState(c, dependencies, news, digest);
  });

  // Where a browser comes to that reloads, or follows a copied address.
  web.get('/inbox/:id/decisions', only, (c) =>
    c.redirect(`/inbox/${encodeURIComponent(pathPart(c, 'id'))}`, 303),
  );

  web.post('/inbox/:id/decisions', only, async (c) => {
    const typed = c.get('typed');
    const found = await review(c);
    const interrupted = c.get('interrupted');
    if (interrupted) {
      const notice = () => <Interruption {...interrupted} />;
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
      const notice = (now: ApprovalReview) => answerTo(error, typed, now, c.get('signedIn'));
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
