import {
  listAgentRuns,
  mayDirect,
  pauseAgentRun,
  resumeAgentRun,
  showAgentRun,
} from '../../application/agent/agentRuns';
import { agentRunView } from '../../application/agent/agentRunView';
import { appendTurns } from '../../application/appendTurns';
import { versionConflict } from '../../application/versions';
import { holdsScope } from '../../domain/access/scopes';
import { isAgentRunEnded } from '../../domain/agent/state';
import { CountersignError } from '../../domain/errors';
import { appendBody } from '../../domain/thread/turn';
import { agentRunFilterOf, agentRunQuery } from '../../http/agentRunQuery';
import { parseInput } from '../../http/context';
import { encodeCursor } from '../../http/cursor';
import type { AgentRun } from '../../ports/agentRuns';
import type { Principal } from '../../ports/people';
import { pathPart, type Asked } from '../asked';
import type { SignedIn, Typed, Web, WebContext, WebDependencies } from '../context';
import { Done, doOrShowAgain, textOf } from '../forms';
import { respond } from '../layout';
import { liveListRoutes } from '../liveListRoutes';
import { requireArea, requireScope } from '../navigation';
import { signedInOnly } from '../session';
import { AgentRunsPage } from './listPage';
import { AgentRunPage, type AgentRunPageProps, type Can } from './runPage';

/** `/agents`, `/agents/{runId}`, and what a person may do there; the use cases are those of the API. */
export function agentRoutes(web: Web, dependencies: WebDependencies): void {
  const only = signedInOnly(dependencies);

  const found = (c: WebContext) => {
    const { principal } = c.get('signedIn');
    requireArea(principal, 'agents');
    return showAgentRun(dependencies, principal, pathPart(c, 'id'));
  };

  async function show(
    c: WebContext,
    more: Pick<AgentRunPageProps, 'typed' | 'notice'>,
    status = 200,
  ): Promise<Response> {
    const signedIn = c.get('signedIn');
    const run = await found(c);
    const props = { run: agentRunView(run), can: whatCan(signedIn.principal, run), signedIn };
    return respond(c, <AgentRunPage {...props} {...more} />, status);
  }

  async function find({ principal }: SignedIn, asked: Asked) {
    const filter = agentRunFilterOf(parseInput(agentRunQuery, asked));
    const { items, next } = await listAgentRuns(dependencies, principal, filter);
    const nextCursor = encodeCursor(next && { at: next.createdAt, id: next.runId });
    return { items: items.map(agentRunView), nextCursor };
  }
  liveListRoutes(web, dependencies, { area: 'agents', find }, (props) => <AgentRunsPage {...props} />);

  web.get('/agents/:id', only, (c) =>
    show(c, { notice: <Done done={c.req.query('done')} words={doneWords} /> }),
  );

  const orders: Readonly<Record<string, typeof answerAndResume | typeof resumeAgentRun>> = {
    ...{ pause: pauseAgentRun, resume: resumeAgentRun, answer: answerAndResume },
  };
  for (const [order, carryOut] of Object.entries(orders)) {
    const path = `/agents/:id/${order}` as const;
    web.get(path, only, (c) => c.redirect(`/agents/${encodeURIComponent(pathPart(c, 'id'))}`, 303));
    web.post(path, only, (c) =>
      doOrShowAgain(
        c,
        ({ typed, notice }, status) => show(c, { typed, notice }, status),
        async (typed) => {
          const { principal } = c.get('signedIn');
          const { runId } = await found(c);
          requireScope(principal, 'runs:start');
          await carryOut(dependencies, principal, runId, versionOf(typed), typed);
          return c.redirect(`/agents/${runId}?done=${order}`, 303);
        },
      ),
    );
  }
}

/**
 * Adds what the customer says to the conversation, once for each version of the run that was read, and goes on.
 * @throws CountersignError version_conflict, and what both can refuse
 */
async function answerAndResume(
  dependencies: WebDependencies,
  principal: Principal,
  runId: string,
  version: number,
  typed: Typed,
): Promise<void> {
  requireScope(principal, 'memory:write');
  const run = await showAgentRun(dependencies, principal, runId);
  if (run.version !== version) throw versionConflict(run.version);
  if (!whatCan(principal, run).answer)
    throw new CountersignError('forbidden', 'nothing is asked of you about this run');
  const message = {
    role: 'user',
    text: textOf(typed, 'text'),
    clientMessageId: `${runId}:answer:${version}`,
  };
  const body = parseInput(appendBody, { messages: [message] });
  await appendTurns(dependencies, principal, run.state.conversationId, body, run.texts?.owner);
  await resumeAgentRun(dependencies, principal, runId, version);
}

/** The version that whoever sends it has read; that of no run where he has read none. */
function versionOf({ version = '' }: Typed): number {
  return /^\d{1,9}$/.test(version) ? Number(version) : 0;
}

function whatCan(principal: Principal, run: AgentRun): Can {
  const { state } = run;
  const directs = mayDirect(principal, run) && holdsScope(principal.key.scopes, ['runs:start']);
  const stands = state.status === 'paused' || state.status === 'needs_review';
  return {
    pause: directs && !stands && !isAgentRunEnded(state) && !state.pauseRequested,
    resume: directs && (stands || state.pauseRequested),
    answer:
      directs &&
      state.status === 'needs_review' &&
      state.lastError?.code === 'agent_needs_input' &&
      holdsScope(principal.key.scopes, ['memory:write']),
  };
}

const doneWords: Readonly<Record<string, string>> = {
  pause: 'It pauses before its next step.',
  resume: 'It goes on.',
  answer: 'Added to the conversation; the run goes on.',
};
