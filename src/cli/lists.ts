import { InvalidArgumentError, type Command } from 'commander';
import type { Page } from '../client';
import { shown, type View, type WatchOptions } from './watch';

export interface ListOptions {
  readonly limit?: number;
  readonly cursor?: string;
  readonly all?: boolean;
}

export function listOptions(command: Command): Command {
  return command
    .option('--limit <n>', 'items a page, 1 to 200', pageSize)
    .option('--cursor <cursor>', 'the page after the one that named this cursor')
    .option('--all', 'every page');
}

/** What a list by amount takes; the API says which amounts are none of that currency. */
export function amountOptions(command: Command): Command {
  return command
    .option('--currency <code>', 'of this currency')
    .option('--min-amount <amount>', 'at least this much, in major units; needs --currency')
    .option('--max-amount <amount>', 'at most this much');
}

/** Prints the list, or with `--watch` each time that it has changed; `text` is for people. */
export async function showList<Item, Filter extends object>(
  options: ListOptions & WatchOptions,
  filter: Filter,
  list: Lists<Item, Filter>,
  text: (page: Page<Item>) => string,
  changes?: View<unknown>['changes'],
): Promise<Page<Item>> {
  return shown(options, { read: () => listed(options, filter, list), text, changes });
}

/** A list as the client has it. */
export interface Lists<Item, Filter> {
  readonly page: (
    filter: Filter & { limit?: number | undefined; cursor?: string | undefined },
  ) => Promise<Page<Item>>;
  readonly all: (filter: Filter & { limit?: number | undefined }) => AsyncIterable<Item>;
}

/** One page, or with `--all` everything as if it were one. */
export async function listed<Item, Filter extends object>(
  options: ListOptions,
  filter: Filter,
  list: Lists<Item, Filter>,
): Promise<Page<Item>> {
  const { limit, cursor } = options;
  if (!options.all) return list.page({ ...filter, limit, cursor });
  const items: Item[] = [];
  for await (const item of list.all({ ...filter, limit: limit ?? 200 })) items.push(item);
  return { items, nextCursor: null };
}

/** Where the list goes on. */
export function more({ nextCursor }: Page<unknown>): string {
  return nextCursor === null ? '' : `\nThere is more: --cursor ${nextCursor}, or --all\n`;
}

function pageSize(value: string): number {
  if (!/^\d{1,3}$/.test(value) || Number(value) < 1 || Number(value) > 200)
    throw new InvalidArgumentError('a whole number from 1 to 200 is wanted');
  return Number(value);
}
