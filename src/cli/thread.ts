import type { Command } from 'commander';
import type { NewMessage, ThreadMessage, ThreadRole } from '../client';
import { callsApi, connect, readsApi, type ConnectionOptions } from './connection';
import { listed, listOptions, showList, type ListOptions, type Lists } from './lists';
import { wholeNumber } from './numbers';
import { answer, example } from './output';
import { appended, contextPage, messageList, threadHeading, threadList, threadStarted } from './threadText';
import { shown } from './watch';

interface OwnerOptions extends ConnectionOptions {
  readonly owner?: string;
}

/** `countersign thread …` */
export function addThreadCommands(root: Command): void {
  const thread = root.command('thread').description('conversations, and what a model sees of them');

  ofOwner(thread.command('start').description('begin a conversation'))
    .option('--title <text>', 'what it is about')
    .option('--idempotency-key <key>', 'the same key gives the same thread')
    .addHelpText('after', example('thread start --owner cus_42 --title "A lamp that arrived broken"'))
    .action(async (options: OwnerOptions & { title?: string; idempotencyKey?: string }) => {
      const { owner: ownerId, title, idempotencyKey } = options;
      const key = idempotencyKey === undefined ? {} : { idempotencyKey };
      const made = await connect(options).threads.start({ ownerId, title }, key);
      answer(options.json, made, () => threadStarted(made));
    });

  listOptions(
    ofOwner(thread.command('list').description('conversations of one owner, newest first'), readsApi),
  )
    .addHelpText('after', example('thread list --owner cus_42'))
    .action(async (options: OwnerOptions & ListOptions) => {
      const { threads } = connect(options);
      const { owner } = options;
      await showList(
        options,
        {},
        {
          page: (filter) => threads.list(filter, { owner }),
          all: (filter) => threads.all(filter, { owner }),
        },
        threadList,
      );
    });

  listOptions(
    ofOwner(
      thread.command('show').description('what was said in a conversation').argument('<threadId>'),
      readsApi,
    ),
  )
    .option('--mentions <id>', 'only messages in which this id or amount stands')
    .addHelpText('after', example('thread show thr_7f3a --mentions ORDER-42'))
    .action(async (id: string, options: OwnerOptions & ListOptions & { mentions?: string }) => {
      const { threads } = connect(options);
      const { owner, mentions } = options;
      const messages: Lists<ThreadMessage, { mentions: string | undefined }> = {
        page: (filter) => threads.messages(id, filter, { owner }),
        all: (filter) => threads.allMessages(id, filter, { owner }),
      };
      await shown(options, {
        read: async () => {
          const [thread, page] = await Promise.all([
            threads.show(id, { owner }),
            listed(options, { mentions }, messages),
          ]);
          return { ...thread, ...page };
        },
        text: (seen) => threadHeading(seen) + messageList(seen),
      });
    });

  ofOwner(thread.command('append').description('add a message to a conversation').argument('<threadId>'))
    .requiredOption('--role <role>', 'user, assistant, tool_call, tool_result or note')
    .requiredOption('--text <text>', 'what was said; of a tool, its arguments or its answer')
    .option('--tool-call <id>', 'pairs a tool call with its result')
    .option('--tool-name <name>', 'of a tool call')
    .option('--run <runId>', 'the refund of this conversation that it is about')
    .option('--message-id <id>', 'names this message for good: sent again, it is the same')
    .option('--expect-version <n>', 'refused when the conversation has another version', wholeNumber)
    .addHelpText(
      'after',
      example('thread append thr_7f3a --role note --text "Half of it was agreed: 24.50 USD"'),
    )
    .action(append);

  ofOwner(thread.command('context').description('what a model sees of a conversation').argument('<threadId>'))
    .option('--budget <tokens>', 'labels and margin included', wholeNumber)
    .option('--compaction <strategy>', 'structured_summary or sliding_window')
    .option('--explain', 'why each thing is in it, or is not')
    .addHelpText('after', example('thread context thr_7f3a --budget 4000 --explain'))
    .action(context);
}

/** Of services, agents and administrators: they name whom they act for. */
function ofOwner(command: Command, takes = callsApi): Command {
  return takes(command.option('--owner <id>', 'whose conversation; your own without it'));
}

async function append(
  id: string,
  options: OwnerOptions & {
    role: string;
    text: string;
    toolCall?: string;
    toolName?: string;
    run?: string;
    messageId?: string;
    expectVersion?: number;
  },
): Promise<void> {
  const message: NewMessage = {
    role: options.role as ThreadRole,
    text: options.text,
    clientMessageId: options.messageId,
    toolCallId: options.toolCall,
    toolName: options.toolName,
    runId: options.run,
  };
  const { owner, expectVersion: expectedVersion } = options;
  const done = await connect(options).threads.append(id, [message], { owner, expectedVersion });
  answer(options.json, done, () => appended(id, done));
}

async function context(
  id: string,
  options: OwnerOptions & { budget?: number; compaction?: string; explain?: boolean },
): Promise<void> {
  const { owner, budget, explain } = options;
  const compaction = options.compaction as 'structured_summary' | 'sliding_window' | undefined;
  const seen = await connect(options).threads.context(id, { budget, compaction, explain }, { owner });
  answer(options.json, seen, () => contextPage(seen, explain === true));
}
