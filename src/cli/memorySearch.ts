import type { Command } from 'commander';
import type { RecallAnswer, RecallReasons } from '../client';
import { callsApi, connect, type ConnectionOptions } from './connection';
import { atMost50 } from './numbers';
import { answer, example } from './output';
import { table } from './terminal/table';
import { printable } from './terminal/text';
import { age } from './terminal/time';

interface SearchOptions extends ConnectionOptions {
  readonly owner?: string;
  readonly asOf?: string;
  readonly explain?: boolean;
  readonly limit?: number;
}

/** `countersign memory search` */
export function addMemorySearch(root: Command): void {
  const memory =
    root.commands.find((command) => command.name() === 'memory') ??
    root.command('memory').description('what is remembered of somebody');
  callsApi(
    memory
      .command('search')
      .description('find memories by words and ids, best first')
      .argument('<words...>')
      .option('--owner <id>', 'whose memory; your own without it')
      .option('--as-of <time>', 'what was believed then, such as 2026-11-01T00:00:00Z')
      .option('--explain', 'say why each was chosen, and what the limit left out')
      .option('--limit <n>', 'how many, 1 to 50', atMost50),
  )
    .addHelpText(
      'after',
      example('memory search ORDER-42 --explain', 'memory search "which language" --owner cus_1'),
    )
    .action(async (words: string[], { owner, asOf, explain, limit, ...options }: SearchOptions) => {
      const found = await connect(options).recall.search(words.join(' '), { owner, asOf, explain, limit });
      answer(options.json, found, () => foundText(found));
    });
}

function foundText({ items, explanation }: RecallAnswer): string {
  if (items.length === 0) return `Nothing is remembered that has these words.\n${unknown(explanation)}`;
  const listed = table(items, [
    { title: 'KEY', of: ({ memory }) => memory.key },
    { title: 'SINCE', of: ({ memory }) => age(memory.validFrom), optional: true },
    { title: 'VALUE', of: ({ memory }) => memory.value, cut: true },
  ]);
  if (!explanation) return listed;
  const why = items.map(({ memory, score, why: reasons }) => reasonLine(memory.key, score, reasons)).join('');
  const left = explanation.leftOut
    .map(({ key, score, why: reasons }) => reasonLine(key, score, reasons))
    .join('');
  return [
    listed,
    `\nWhy, each part from 0 to 1:\n${why}`,
    left === '' ? '' : `\nLeft out by the limit:\n${left}`,
    unknown(explanation),
  ].join('');
}

function reasonLine(key: string, score: number, why: RecallReasons | undefined): string {
  const { parts, terms = [], ids = [] } = why ?? {};
  const named = [...ids.map((id) => `id ${id}`), ...terms.map(({ word }) => word)].join(', ');
  const figures = Object.entries(parts ?? {})
    .map(([name, value]) => `${name} ${value.toFixed(2)}`)
    .join(', ');
  return `  ${printable(`${key}: ${score.toFixed(3)} (${figures}) by ${named}`)}\n`;
}

function unknown(explanation: RecallAnswer['explanation']): string {
  const words = explanation?.unknownWords ?? [];
  return words.length === 0 ? '' : `\nNothing has: ${printable(words.join(', '))}\n`;
}
