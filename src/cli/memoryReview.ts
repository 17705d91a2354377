import type { Command } from 'commander';
import type { CandidateStatus, HoldReason, HoldWords, MemoryHold } from '../client';
import { confirm, confirms, type Confirmable } from './admin/confirmation';
import { callsApi, connect, readsApi, type ConnectionOptions } from './connection';
import { UsageError } from './failure';
import { listed, listOptions, more, showList, type ListOptions, type Lists } from './lists';
import { evidenceOf } from './memoryArguments';
import { candidatePage, candidateTable, heldTables, reported } from './memoryText';
import { answer, example } from './output';
import { shown } from './watch';

interface Words {
  readonly reason: string;
  readonly comment?: string;
}

const reasons =
  'suspicious, poisoned, wrong, outdated, personal or owner_request; it stands in the audit log';

/** What administrators do about memory; a candidate is shown to whoever proposed it, too. */
export function addMemoryReviewCommands(memory: Command): void {
  addQueue(memory);
  addHolds(memory);
}

function addQueue(memory: Command): void {
  readsApi(
    listOptions(
      memory
        .command('queue')
        .description('candidates that wait for an administrator, oldest first')
        .option('--status <status>', 'waiting, approved, rejected, expired, replaced or revoked', 'waiting'),
    ),
  )
    .addHelpText('after', example('memory queue'))
    .action(async (options: ListOptions & ConnectionOptions & { status: string }) => {
      const { reviews } = connect(options).memories;
      await showList(
        options,
        { status: options.status as CandidateStatus },
        { page: (filter) => reviews.list(filter), all: (filter) => reviews.all(filter) },
        (page) => candidateTable(page.items) + more(page),
      );
    });

  readsApi(
    memory
      .command('candidate')
      .description('one of them, and how to decide; also for whoever proposed it')
      .argument('<candidateId>'),
  )
    .addHelpText('after', example('memory candidate mcd_1'))
    .action(async (id: string, options: ConnectionOptions) => {
      await shown(options, {
        read: () => connect(options).memories.candidate(id),
        text: candidatePage,
        ended: ({ status }) => status !== 'waiting',
      });
    });

  for (const decision of ['approve', 'reject'] as const) {
    callsApi(
      memory
        .command(decision)
        .description(
          decision === 'approve'
            ? 'let it be remembered, as the operator’s own; exits 1 when the gate refuses it by now'
            : 'refuse it; its text is gone then',
        )
        .argument('<candidateId>')
        .requiredOption('--hash <hash>', 'of what was read, as countersign memory candidate shows it')
        .option('--comment <text>', 'why'),
    )
      .addHelpText('after', example(`memory ${decision} mcd_1 --hash 8f2c…`))
      .action(async (id: string, options: ConnectionOptions & { hash: string; comment?: string }) => {
        const { hash: proposalHash, comment } = options;
        const reviewed = await connect(options).memories.reviews.decide(id, {
          decision,
          proposalHash,
          comment,
        });
        answer(options.json, reviewed, () => candidatePage(reviewed.candidate));
        if (reviewed.decision?.allowed === false) process.exitCode = 1;
      });
  }
}

function addHolds(memory: Command): void {
  readsApi(listOptions(memory.command('held').description('memories and sources that are held, and why')))
    .addHelpText('after', example('memory held'))
    .action(async (options: ListOptions & ConnectionOptions) => {
      const { reviews } = connect(options).memories;
      const holds: Lists<MemoryHold, object> = {
        page: (filter) => reviews.holds(filter),
        all: (filter) => reviews.allHolds(filter),
      };
      await shown(options, {
        read: async () => ({ ...(await listed(options, {}, holds)), sources: await reviews.sources() }),
        text: (held) => heldTables(held.items, held.sources) + more(held),
      });
    });

  named(
    memory
      .command('quarantine')
      .description('believe a memory, or all from one source, no more until released'),
  )
    .requiredOption('--reason <word>', reasons)
    .option('--comment <text>', 'more about it; it is erased with the memory')
    .addHelpText(
      'after',
      example(
        'memory quarantine mem_1 --owner cus_ada --reason suspicious',
        'memory quarantine --source document:handbook --reason suspicious',
      ),
    )
    .action(async (id: string | undefined, options: Naming & Words) => {
      const { reviews } = connect(options).memories;
      const what = namedBy(id, options);
      if ('source' in what) {
        const report = await reviews.quarantineSource(what.source, wordsOf(options));
        return answer(options.json, report, () => reported(report));
      }
      const hold = await reviews.quarantine(what.id, what.owner, wordsOf(options));
      answer(options.json, hold, () => `${hold.memoryId} is in quarantine.\n`);
    });

  named(memory.command('release').description('end a quarantine; what was revoked stays so'))
    .addHelpText(
      'after',
      example('memory release mem_1 --owner cus_ada', 'memory release --source document:handbook'),
    )
    .action(async (id: string | undefined, options: Naming) => {
      const { reviews } = connect(options).memories;
      const what = namedBy(id, options);
      if ('source' in what) {
        const ended = await reviews.releaseSource(what.source);
        return answer(options.json, ended, () => `${ended.released} memories are believed again.\n`);
      }
      await reviews.release(what.id, what.owner);
      answer(options.json, { memoryId: what.id, released: true }, () => `${what.id} is believed again.\n`);
    });

  confirms(
    callsApi(
      memory
        .command('revoke-source')
        .description(
          'believe nothing that was learnt from a source, for good, and learn nothing more from it',
        )
        .argument(
          '<kind:ref>',
          'such as document:handbook, run:run_1 or turn:thread-1/4, and what lies below it',
        )
        .requiredOption('--reason <word>', reasons)
        .option('--comment <text>', 'more about it'),
    ),
  )
    .addHelpText('after', example('memory revoke-source document:handbook --reason poisoned --yes'))
    .action(async (text: string, options: ConnectionOptions & Confirmable & Words) => {
      const source = evidenceOf(text);
      const { reviews } = connect(options).memories;
      await confirm(
        options,
        `Nothing learnt from ${text} is believed after that, and it can not be taken back.`,
      );
      const report = await reviews.revokeSource(source, wordsOf(options));
      answer(options.json, report, () => reported(report));
    });
}

interface Naming extends ConnectionOptions {
  readonly owner?: string;
  readonly source?: string;
}

function named(command: Command): Command {
  return callsApi(command)
    .argument('[memoryId]')
    .option('--owner <id>', 'whose memory it is')
    .option('--source <kind:ref>', 'instead of one memory, everything learnt from that source');
}

function namedBy(id: string | undefined, { owner, source }: Naming) {
  if ((id === undefined) === (source === undefined))
    throw new UsageError('either a memory and its --owner, or a --source');
  if (source !== undefined) return { source: evidenceOf(source) };
  if (id === undefined || owner === undefined) throw new UsageError('whose memory it is: --owner');
  return { id, owner };
}

function wordsOf({ reason, comment }: Words): HoldWords {
  // What is not one of the words is refused by the API.
  return { reason: reason as HoldReason, comment };
}
