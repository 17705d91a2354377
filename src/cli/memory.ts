import { writeFileSync } from 'node:fs';
import { InvalidArgumentError, type Command } from 'commander';
import type { MemoryKind, MemoryProposal, MemorySource } from '../client';
import { several } from './admin/confirmation';
import { callsApi, connect, readsApi, type ConnectionOptions } from './connection';
import { listOptions, more, showList, type ListOptions } from './lists';
import { addMemoryReviewCommands } from './memoryReview';
import { evidenceOf, version } from './memoryArguments';
import { decided, memoryPage, memoryTable, versionTable } from './memoryText';
import { onBehalfOf } from './onBehalfOf';
import { answer, example, remark } from './output';
import { shown } from './watch';

interface Owned extends ConnectionOptions {
  readonly owner?: string;
}

interface ProposeOptions extends Owned {
  readonly key: string;
  readonly value: string;
  readonly kind: string;
  readonly source: string;
  readonly asked?: boolean;
  readonly confidence?: number;
  readonly evidence?: readonly string[];
  readonly expires?: string;
  readonly expected?: number;
  readonly idempotencyKey?: string;
  readonly onBehalfOf?: string;
}

const ownerHelp = 'whose memory; your own without it';
const ofOwner = (command: Command) => command.option('--owner <id>', ownerHelp);
const owned = (command: Command) => ofOwner(callsApi(command));
const ownedToRead = (command: Command) => ofOwner(readsApi(command));

/** `countersign memory …` */
export function addMemoryCommands(root: Command): void {
  const memory = root.command('memory').description('what is remembered of whom, and why');
  addReading(memory);
  addWriting(memory);
  addPinning(memory);
  addMemoryReviewCommands(memory);
}

function addReading(memory: Command): void {
  ownedToRead(
    listOptions(
      memory
        .command('list')
        .description('what is believed now, by key')
        .option('--as-of <time>', 'what was believed then, ISO 8601')
        .option('--faded', 'what was inferred long ago and waits to be confirmed'),
    ),
  )
    .addHelpText('after', example('memory list --owner cus_ada', 'memory list --as-of 2026-11-01T00:00:00Z'))
    .action(async (options: Owned & ListOptions & { asOf?: string; faded?: boolean }) => {
      const { memories } = connect(options);
      const { owner, asOf } = options;
      const filter = { owner, asOf, state: options.faded ? ('faded' as const) : undefined };
      await showList(
        options,
        filter,
        {
          page: (of) => memories.list(of),
          all: (of) => memories.all(of),
        },
        (page) => memoryTable(page.items) + more(page),
      );
    });

  ownedToRead(
    memory
      .command('show')
      .description('one memory')
      .argument('<memoryId>')
      .option('--as-of <time>', 'if it was believed then, ISO 8601'),
  )
    .addHelpText('after', example('memory show mem_1'))
    .action(async (id: string, options: Owned & { asOf?: string }) => {
      await shown(options, {
        read: () => connect(options).memories.show(id, options),
        text: memoryPage,
      });
    });

  ownedToRead(
    memory
      .command('history')
      .description('every version of a memory, what took its place, and why it was written')
      .argument('<memoryId>'),
  )
    .addHelpText('after', example('memory history mem_1'))
    .action(async (id: string, options: Owned) => {
      await shown(options, {
        read: async () => ({ items: await connect(options).memories.history(id, options) }),
        text: ({ items }) => versionTable(items),
      });
    });

  owned(
    memory
      .command('export')
      .description('everything that is or was remembered of one owner, as JSON Lines')
      .option('--out <file>', 'write it there; it must not exist yet'),
  )
    .addHelpText('after', example('memory export --owner cus_ada --out ada.jsonl'))
    .action(async (options: Owned & { out?: string }) => {
      const lines: string[] = [];
      for await (const version of connect(options).memories.export(options))
        lines.push(`${JSON.stringify(version)}\n`);
      if (options.out === undefined) process.stdout.write(lines.join(''));
      else {
        writeFileSync(options.out, lines.join(''), { flag: 'wx' });
        answer(
          options.json,
          { file: options.out, versions: lines.length },
          () => `${lines.length} versions: ${options.out}\n`,
        );
      }
    });
}

function addWriting(memory: Command): void {
  owned(
    memory
      .command('propose')
      .description('put something before the memory gate; exits 1 when it refuses')
      .requiredOption('--key <key>', 'such as preference/language')
      .requiredOption('--value <text>', 'what to remember')
      .option('--kind <kind>', 'semantic, episodic or procedural', 'semantic')
      .option('--source <source>', 'user_explicit, inferred, tool or document', 'user_explicit')
      .option('--asked', 'its owner asked for it in his own words')
      .option('--confidence <number>', '0 to 1', fraction)
      .option(
        '--evidence <kind:ref>',
        'what it was learnt from, such as turn:thread-1/4; may be repeated',
        several,
      )
      .option('--expires <time>', 'ISO 8601')
      .option('--expected <version>', 'the version that was read, 0 for none', version)
      .option('--idempotency-key <key>', 'the same key answers as the first time')
      .option(...onBehalfOf),
  )
    .addHelpText(
      'after',
      example('memory propose --key preference/language --value "Answer in Bengali." --asked'),
    )
    .action(propose);

  owned(
    memory
      .command('correct')
      .description('say what is right instead; an explicit statement takes the place of what is there')
      .argument('<memoryId>')
      .requiredOption('--value <text>', 'what is right')
      .option('--expires <time>', 'ISO 8601')
      .option('--expected <version>', 'the version that was read', version),
  )
    .addHelpText('after', example('memory correct mem_1 --value "Answer in English." --expected 2'))
    .action(async (id: string, options: Owned & { value: string; expires?: string; expected?: number }) => {
      const { value, expires, expected, owner } = options;
      const correction = {
        value,
        version: expected,
        ...(expires === undefined ? {} : { expiresAt: expires }),
      };
      const decision = await connect(options).memories.correct(id, correction, { owner });
      answer(options.json, decision, () => decided(decision));
    });

  for (const [name, description] of [
    ['confirm', 'say that it is so; what was inferred does not fade then'],
    ['forget', 'remove it with its history; a tombstone without content stays'],
  ] as const) {
    owned(
      memory
        .command(name)
        .description(description)
        .argument('<memoryId>')
        .option('--expected <version>', 'the version that was read', version),
    )
      .addHelpText('after', example(`memory ${name} mem_1`))
      .action(async (id: string, { owner, expected, ...options }: Owned & { expected?: number }) => {
        const { memories } = connect(options);
        if (name === 'forget') {
          await memories.forget(id, { owner, version: expected });
          answer(options.json, { memoryId: id, forgotten: true }, () => `${id} is forgotten.\n`);
        } else {
          const decision = await memories.confirm(id, { owner, version: expected });
          answer(options.json, decision, () => decided(decision));
        }
      });
  }
}

function addPinning(memory: Command): void {
  for (const [name, description] of [
    ['pin', 'let contexts show it first, with every later version; agents may not'],
    ['unpin', 'pin it no more'],
  ] as const) {
    owned(memory.command(name).description(description).argument('<memoryId>'))
      .addHelpText('after', example(`memory ${name} mem_1 --owner cus_ada`))
      .action(async (id: string, options: Owned) => {
        const { memories } = connect(options);
        if (name === 'pin') {
          const pinned = await memories.pin(id, options);
          answer(options.json, pinned, () => memoryPage(pinned));
        } else {
          await memories.unpin(id, options);
          answer(options.json, { memoryId: id, pinned: false }, () => `${id} is not pinned.\n`);
        }
      });
  }
}

async function propose(options: ProposeOptions): Promise<void> {
  const { key, value, owner, confidence, expires, evidence = [], idempotencyKey } = options;
  // What is not one of the words is refused by the API, with the same code for every door.
  const proposal: MemoryProposal = {
    ...(owner === undefined ? {} : { ownerId: owner }),
    key,
    value,
    kind: options.kind as MemoryKind,
    source: options.source as MemorySource,
    explicitUserRequest: options.asked ?? false,
    ...(confidence === undefined ? {} : { confidence }),
    evidence: evidence.map(evidenceOf),
    ...(expires === undefined ? {} : { expiresAt: expires }),
    onBehalfOf: options.onBehalfOf,
  };
  const decision = await connect(options).memories.propose(proposal, {
    idempotencyKey,
    version: options.expected,
  });
  answer(options.json, decision, () => decided(decision));
  if (decision.candidateId !== null)
    remark(options.json, `What becomes of it: countersign memory candidate ${decision.candidateId}`);
}

function fraction(value: string): number {
  const number = Number(value);
  if (!/^\d(\.\d{1,6})?$/.test(value) || number > 1) throw new InvalidArgumentError('0 to 1 is wanted');
  return number;
}
