import type { Command } from 'commander';
import type { AgentRun, AgentRunStatus, Countersign } from '../client';
import { agentRunLine, agentRunList, agentRunText } from './agentText';
import { callsApi, connect, readsApi, type ConnectionOptions } from './connection';
import { expectVersion, type OrderOptions } from './expectVersion';
import { listOptions, showList, type ListOptions } from './lists';
import { wholeNumber } from './numbers';
import { onBehalfOf } from './onBehalfOf';
import { answer, example, remark } from './output';
import { shown } from './watch';

interface RunOptions extends ConnectionOptions {
  readonly goal: string;
  readonly thread?: string;
  readonly owner?: string;
  readonly onBehalfOf?: string;
  readonly maxSteps?: number;
  readonly idempotencyKey?: string;
  readonly wait?: boolean;
}

/** `countersign agent …` */
export function addAgentCommands(root: Command): void {
  const agent = root.command('agent').description('agents that work towards a goal, step by step');

  callsApi(agent.command('run').description('start an agent run'))
    .requiredOption('--goal <text>', 'what is to be reached, in words')
    .option('--thread <threadId>', 'the conversation that it is about')
    .option('--owner <id>', 'whose conversation that is; your own without it')
    .option(...onBehalfOf)
    .option('--max-steps <n>', 'it pauses after as many, until it is resumed', wholeNumber)
    .option('--idempotency-key <key>', 'the same key and goal give the same run')
    .option('--wait', 'until it goes on no more by itself; 1 when it failed or needs review')
    .addHelpText(
      'after',
      example('agent run --goal "Refund the broken lamp" --thread thr_7f3a --owner cus_42'),
    )
    .action(run);

  readsApi(
    agent.command('show').description('its plan, its steps, and what each came to').argument('<runId>'),
  )
    .addHelpText('after', example('agent show agr_7f3a'))
    .action(async (runId: string, options: ConnectionOptions) => {
      const { runs } = connect(options);
      await shown(options, {
        read: () => runs.show(runId),
        text: agentRunText,
        ended: ({ status }) => status === 'completed' || status === 'failed',
        changes: (signal) => runs.changes(runId, { signal }),
      });
    });

  readsApi(listOptions(agent.command('list').description('agent runs, newest first')))
    .option('--status <status>', 'pending, running, paused, completed, failed or needs_review')
    .addHelpText('after', example('agent list --status needs_review'))
    .action(async (options: ConnectionOptions & ListOptions & { status?: AgentRunStatus }) => {
      const { runs } = connect(options);
      await showList(
        options,
        { status: options.status },
        { page: (filter) => runs.list(filter), all: (filter) => runs.all(filter) },
        agentRunList,
      );
    });

  ordering(agent, 'pause', 'pause it before its next step');
  ordering(agent, 'resume', 'go on at the next step, with a new budget of steps');
}

function ordering(agent: Command, verb: 'pause' | 'resume', description: string): void {
  callsApi(agent.command(verb).description(description).argument('<runId>'))
    .option(...expectVersion)
    .addHelpText('after', example(`agent ${verb} agr_7f3a`))
    .action(async (runId: string, options: OrderOptions) => {
      const { runs } = connect(options);
      const done = await runs[verb](runId, { expectedVersion: options.expectVersion });
      answer(options.json, done, () => agentRunText(done));
    });
}

async function run(options: RunOptions): Promise<void> {
  const { goal, thread, owner, maxSteps, idempotencyKey, wait, json } = options;
  const countersign = connect(options);
  const body = {
    onBehalfOf: options.onBehalfOf,
    goal,
    threadId: thread,
    ownerId: owner,
    maxStepsPerRun: maxSteps,
  };
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  const started = await countersign.runs.start(body, key);
  const now = wait ? await untilItStands(countersign, started, json) : started;
  answer(json, now, () => agentRunText(now));
  process.exitCode = wait && ['failed', 'needs_review'].includes(now.status) ? 1 : 0;
}

async function untilItStands(
  { runs }: Countersign,
  started: AgentRun,
  json: boolean | undefined,
): Promise<AgentRun> {
  let now = started;
  for await (const seen of runs.watch(started.runId)) {
    now = seen;
    remark(json, agentRunLine(seen));
  }
  return now;
}
