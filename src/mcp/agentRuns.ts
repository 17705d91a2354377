import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Countersign } from '../client';
import { agentRunStatuses } from '../domain/agent/state';
import { freeText, onBehalfOf } from '../domain/refund/request';
import { answered } from './answer';
import { id, page, readingOn } from './looking';
import { requestKey, underKey } from './proposing';
import { derivedRunKey } from './requestKey';

const changing = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

const newRun = z.strictObject({
  goal: freeText.min(1).max(2_000).describe('What is to be reached, in words.'),
  threadId: id
    .optional()
    .describe('The conversation that it is about; without one, one begins with the goal.'),
  ownerId: id.optional().describe('Whose conversation that is; your own without it.'),
  onBehalfOf: onBehalfOf
    .optional()
    .describe('The human for whom this is done; he can not approve its refund then.'),
  maxStepsPerRun: z.int().min(1).max(100).optional().describe('It pauses after as many steps.'),
  requestKey: requestKey.describe(
    'Names this one run for good. The same key never starts a second one. Without one it is derived from the conversation, ' +
      'or from the goal where there is none; a second run about the same needs its own.',
  ),
});

const order = z.strictObject({
  runId: id.describe('agr_…'),
  expectedVersion: z.int().min(1).optional().describe('Refused when the run has another version by now.'),
});

/** Agent runs: goals that Countersign carries step by step to a proposal, which waits for people like any other. */
export function registerAgentRuns(server: McpServer, countersign: Countersign): void {
  const { runs } = countersign;
  const reading = readingOn(server);

  server.registerTool(
    'start_agent_run',
    {
      title: 'Have a goal carried out step by step',
      description:
        'Looks up the order, gathers what was said, searches memory and handbook, drafts a refund and proposes it, then waits ' +
        'for whoever decides. Sent again it is the same run. Answers the run and the request key.',
      inputSchema: newRun,
      annotations: { ...changing, idempotentHint: true },
    },
    async ({ requestKey: key, ...body }) =>
      answered(() =>
        underKey(key, derivedRunKey(body), inOtherWords, (idempotencyKey) =>
          runs.start(body, { idempotencyKey }),
        ),
      ),
  );
  reading(
    'show_agent_run',
    'One agent run: its plan, what each step came to, the refund that it proposed, and why it stands still if it does.',
    z.strictObject({ runId: id }),
    ({ runId }) => runs.show(runId),
  );
  reading(
    'list_agent_runs',
    'Agent runs, newest first, of one status if so asked.',
    z.strictObject({ status: z.enum(agentRunStatuses).optional(), ...page }),
    (filter) => runs.list(filter),
  );
  server.registerTool(
    'pause_agent_run',
    {
      title: 'Pause an agent run',
      description: 'It stands still before its next step, until it is resumed.',
      inputSchema: order,
      annotations: { ...changing, idempotentHint: true },
    },
    async ({ runId, ...version }) => answered(() => runs.pause(runId, version)),
  );
  server.registerTool(
    'resume_agent_run',
    {
      title: 'Resume an agent run',
      description:
        'Goes on at the next step of one that is paused or needs review, with a new budget of steps. First cure what lastError names.',
      inputSchema: order,
      annotations: { ...changing, idempotentHint: false },
    },
    async ({ runId, ...version }) => answered(() => runs.resume(runId, version)),
  );
}

const inOtherWords =
  'A run about this was started before, in other words: look for it with list_agent_runs. If this is meant to be another ' +
  'run, send it with a requestKey of its own.';
