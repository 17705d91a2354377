import type { Command } from 'commander';
import type { AgentRun, AgentRunStatus, Countersign } from '../client';
import { agentRunLine, agentRunList, agentRunText } from './agentText';
import { callsApi, connect, type ConnectionOptions } from './connection';
import { listed, listOptions, type ListOptions } from './lists';
import { wholeNumber } from './numbers';
import { answer, example, remark } from './output';

interface RunOptions extends ConnectionOptions {
  readonly goal: string;
  readonly thread?: string;
  readonly owner?: string;
  readonly onBehalfOf?: string;
  readonly maxSteps?: number;
  readonly idempotencyKey?: string;
  readonly wait?: boolean;
}

interface OrderOptions extends ConnectionOptions {
  readonly expectVersion?: number;
}

/** `countersign agent …` */
export function addAgentCommands(root: Command): void {
  const agent = root.command('agent').description('agents that work towards a goal, step by step');

  callsApi(agent.command('run').description('start an agent run'))
    .requiredOption('--goal <text>', 'what is to be reached, in words')
    .option('--thread <threadId>', 'the conversation that it is about')
    .option('--owner <id>', 'whose conversation that is; your own without it')
    .option('--on-behalf-of <person>', 'the human behind a service or agent')
    .option('--max-steps <n>', 'it pauses after as many, until it is resumed', wholeNumber)
    .option('--idempotency-key <key>', 'the same key and goal give the same run')
    .option('--wait', 'until it goes on no more by itself; 1 when it failed or needs review')
    .addHelpText(
      'after',
      example('agent run --goal "Refund the broken lamp" --thread thr_7f3a --owner cus_42'),
    )
    .action(run);

  callsApi(
    agent.command('show').description('its plan, its steps, and what each came to').argument('<runId>'),
  )
    .addHelpText('after', example('agent show agr_7f3a'))
    .action(async (runId: string, options: ConnectionOptions) => {
      const shown = await connect(options).runs.show(runId);
      answer(options.json, shown, () => agentRunText(shown));
    });

  listOptions(callsApi(agent.command('list').description('agent runs, newest first')))
    .option('--status <status>', 'pending, running, paused, completed, failed or needs_review')
    .addHelpText('after', example('agent list --status needs_review'))
    .action(async (options: ConnectionOptions & ListOptions & { status?: AgentRunStatus }) => {
      const { runs } = connect(options);
      const page = await listed(
        options,
        { status: options.status },
        { page: (filter) => runs.list(filter), all: (filter) => runs.all(filter) },
      );
      answer(options.json, page, () => agentRunList(page));
    });

  ordering(agent, 'pause', 'pause it before its next step');
  ordering(agent, 'resume', 'go on at the next step, with a new budget of steps');
}

function ordering(agent: Command, verb: 'pause' | 'resume', description: string): void {
  callsApi(agent.command(verb).description(description).argument('<runId>'))
    .option('--expect-version <n>', 'refused when the run has another version', wholeNumber)
    .addHelpText('after', example(`agent ${verb} agr_7f3a`))
    .action(async (runId: string, options: OrderOptions) => {
      const { runs } = connect(options);
      const done = await runs[verb](runId, { expectedVersion: options.expectVersion });
      answer(options.json, done, () => agentRunText(done));
    });
}

async function run(options: RunOptions): Promise<void> {
  const { goal, thread, owner, onBehalfOf, maxSteps, idempotencyKey, wait, json } = options;
  const countersign = connect(options);
  const body = { goal, threadId: thread, ownerId: owner, onBehalfOf, maxStepsPerRun: maxSteps };
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
