import type { Child } from 'hono/jsx';
import type { AgentRunView } from '../../application/agent/agentRunView';
import type { SignedIn, Typed } from '../context';
import { Page } from '../layout';
import { leadsTo } from '../navigation';
import { Field } from '../steps';
import { Head } from '../table';
import { When } from '../time';
import { spaced } from '../words';
import { agentStatusWords, CameTo, standsAt, stepWords } from './words';

/** What whoever looks may do about it. */
export interface Can {
  readonly pause: boolean;
  readonly resume: boolean;
  /** To say what the conversation lacks, and go on. */
  readonly answer: boolean;
}

export interface AgentRunPageProps {
  readonly run: AgentRunView;
  readonly can: Can;
  readonly signedIn: SignedIn;
  readonly typed?: Typed;
  readonly notice?: Child;
}

/** Where it stands first, then what can be done, then what it was asked and what its steps came to. */
export function AgentRunPage({ run, can, signedIn, typed = {}, notice }: AgentRunPageProps) {
  const { reader, principal } = signedIn;
  return (
    <Page
      title={`Agent run: ${agentStatusWords[run.status].toLowerCase()}`}
      signedIn={signedIn}
      area="agents"
    >
      <nav aria-label="Back">
        <a href="/agents" data-key="u">
          All agent runs
        </a>
      </nav>
      {notice}
      <article>
        <h1>Agent run: {agentStatusWords[run.status].toLowerCase()}</h1>
        <p id="waits">{standsAt(run)}</p>
        {run.lastError && (
          <p class="faint">
            {spaced(run.lastError.code)}: {run.lastError.detail}
          </p>
        )}
        <div class="columns">
          <div>
            <dl class="what">
              <Field name="Goal">
                {run.goal === null ? '(erased)' : <blockquote class="said">{run.goal}</blockquote>}
              </Field>
              {run.ownerId !== null && <Field name="Whose conversation">{run.ownerId}</Field>}
              <Field name="Conversation">
                <code>{run.conversationId}</code>
              </Field>
              <Field name="Started by">
                {run.requester}
                {run.onBehalfOf !== null && ` for ${run.onBehalfOf}`},{' '}
                <When at={run.createdAt} reader={reader} />
              </Field>
              {run.plannedBy !== null && <Field name="Planned by">{run.plannedBy}</Field>}
              {run.maxStepsPerRun !== null && (
                <Field name="Steps">
                  {run.stepsTaken} of {run.maxStepsPerRun} since it was started or resumed
                </Field>
              )}
              {run.usage.calls > 0 && (
                <Field name="Models">
                  {run.usage.calls} calls, {run.usage.inputTokens + run.usage.outputTokens} tokens,{' '}
                  {run.usage.costUsd} USD
                </Field>
              )}
              <Field name="Run">
                <code>{run.runId}</code>
              </Field>
            </dl>
            {leadsTo(principal, 'audit') && (
              <p>
                <a href={`/audit?run=${run.runId}`}>Its rows of the audit log</a>
              </p>
            )}
          </div>
          <Actions run={run} can={can} signedIn={signedIn} typed={typed} />
          <div>
            <Plan run={run} signedIn={signedIn} />
          </div>
        </div>
      </article>
    </Page>
  );
}

function Actions({ run, can, signedIn: { csrf }, typed }: Required<Omit<AgentRunPageProps, 'notice'>>) {
  if (!can.pause && !can.resume) return <></>;
  const hidden = (
    <>
      <input type="hidden" name="csrf" value={csrf} />
      <input type="hidden" name="version" value={String(run.version)} />
    </>
  );
  return (
    <section aria-labelledby="do-title" class="decide">
      <h2 id="do-title">What can be done</h2>
      {can.answer && (
        <form method="post" action={`/agents/${run.runId}/answer`}>
          {hidden}
          <p>
            <label for="text">What the customer says</label>
            <textarea id="text" name="text" rows={3} maxlength={2_000} required>
              {`\n${typed['text'] ?? ''}`}
            </textarea>
          </p>
          <p class="faint">
            It is added to the conversation under your name as the customer's words, and the run goes on.
          </p>
          <div class="choice">
            <button class="main">Add it and go on</button>
          </div>
        </form>
      )}
      {can.resume && (
        <form method="post" action={`/agents/${run.runId}/resume`}>
          {hidden}
          <div class="choice">
            <button>{run.pauseRequested ? 'Do not pause' : 'Go on at its next step'}</button>
          </div>
        </form>
      )}
      {can.pause && (
        <form method="post" action={`/agents/${run.runId}/pause`}>
          {hidden}
          <div class="choice">
            <button>Pause before its next step</button>
          </div>
        </form>
      )}
    </section>
  );
}

function Plan({ run, signedIn: { reader } }: Pick<AgentRunPageProps, 'run' | 'signedIn'>) {
  if (run.plan.length === 0) return <p class="empty">There is no plan yet.</p>;
  return (
    <section aria-labelledby="plan-title">
      <h2 id="plan-title">Plan</h2>
      <table class="cases">
        <Head columns={['Step', 'Status', { wide: 'Tried again' }, 'Came to']} />
        <tbody>
          {run.plan.map(({ id, type }) => (
            <tr>
              <th scope="row">{stepWords[type]}</th>
              <td>{spaced(run.stepStatuses[id] ?? 'pending')}</td>
              <td class="wide">{run.retryCounts[id] ?? 0}</td>
              <td>
                <CameTo output={run.stepOutputs[id]} reader={reader} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
