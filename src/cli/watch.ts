import { setTimeout as pause } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { CountersignError } from '../client';
import { printError } from './failure';
import { answer } from './output';
import { jsonLines, pages, redrawn, type Screen } from './terminal/screen';

export interface WatchOptions {
  readonly watch?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** What a list or a page shows, and how it is seen to change. */
export interface View<Seen> {
  readonly read: () => Promise<Seen>;
  readonly text: (seen: Seen) => string;
  /** Whether nothing changes any more. */
  readonly ended?: (seen: Seen) => boolean;
  /** The live stream that tells of changes, where there is one: something each time, and once it is open. */
  readonly changes?: ((signal: AbortSignal) => AsyncIterable<unknown>) | undefined;
}

/** How often it is looked where no stream tells of changes, ms. */
const lookEveryMs = 2_000;
/** How often it is looked beside a stream, ms: ages grow, and streams have been lost before without a word. */
const lookBesideStreamMs = 15_000;
/** A burst of changes is looked at once, ms. */
const settleMs = 150;

/** Takes `--watch`; see `shown`. */
export function watches(command: Command): Command {
  return command.addOption(
    new Option('--watch', 'show it again whenever it changes, until it has ended or Ctrl-C').conflicts('all'),
  );
}

/**
 * Prints it once, or with `--watch` again after every change; with `--json` one object a line.
 * Ctrl-C ends the process with exit code 0: whoever watches decides when he has seen enough.
 * @returns what was shown last
 */
export async function shown<Seen>(options: WatchOptions, view: View<Seen>): Promise<Seen> {
  if (!options.watch) {
    const seen = await view.read();
    answer(options.json, seen, () => view.text(seen));
    return seen;
  }
  const leave = () => {
    // The terminal has shown ^C behind the last line; what comes next begins on its own.
    if (isRedrawn(options)) process.stdout.write('\n');
    process.exit(0);
  };
  process.once('SIGINT', leave).once('SIGTERM', leave);
  return follow(view, screenOf(options, view), (error) => sayAway(options, error));
}

function isRedrawn({ json }: WatchOptions): boolean {
  return json !== true && process.stdout.isTTY;
}

function screenOf<Seen>(options: WatchOptions, { text }: View<Seen>): Screen<Seen> {
  if (options.json) return jsonLines(process.stdout);
  return isRedrawn(options) ? redrawn(process.stdout, text, 'Ctrl-C ends.') : pages(process.stdout, text);
}

function sayAway({ json = false }: WatchOptions, { code, detail, details }: CountersignError): void {
  const goesOn = `${detail}; what was seen last may be old, it is looked again every ${lookEveryMs / 1_000} s`;
  printError(new CountersignError(code, goesOn, details), json);
}

/**
 * Looks again after every change, or every 2 s where no stream tells of them. What was seen once is looked for again
 * also through an outage, of which `away` is told once.
 * @returns what it is when it has ended
 * @throws what the API refuses with
 */
export async function follow<Seen>(
  view: View<Seen>,
  screen: Screen<Seen>,
  away: (error: CountersignError) => void,
): Promise<Seen> {
  const over = new AbortController();
  const changes = new Changes(view.changes?.(over.signal));
  let seenBefore = false;
  let isAway = false;
  try {
    for (;;) {
      // Before it is looked: what changes meanwhile is looked at too.
      const change = changes.next();
      try {
        const seen = await view.read();
        screen(seen);
        if (view.ended?.(seen)) return seen;
        seenBefore = true;
        isAway = false;
      } catch (error) {
        if (!seenBefore || !(error instanceof CountersignError) || error.status < 500) throw error;
        if (!isAway) away(error);
        isAway = true;
      }
      await changes.wait(change);
    }
  } finally {
    over.abort();
  }
}

/** The live stream, as far as there is one: without it, and once it has broken off, only time passes. */
class Changes {
  private wake: () => void = () => undefined;
  private live = false;

  constructor(stream: AsyncIterable<unknown> | undefined) {
    if (stream) void this.listen(stream);
  }

  /** After the next change from now on. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** Until that change and all that come with it, or for as long as it takes until it is looked anyway. */
  async wait(change: Promise<void>): Promise<void> {
    const over = new AbortController();
    const time = pause(this.live ? lookBesideStreamMs : lookEveryMs, undefined, { signal: over.signal });
    await Promise.race([change.then(() => pause(settleMs)), time]);
    over.abort();
    await time.catch(() => undefined);
  }

  private async listen(stream: AsyncIterable<unknown>): Promise<void> {
    try {
      for await (const _ of stream) {
        this.live = true;
        this.wake();
      }
    } catch {
      // It is looked every so often instead, which also finds out what is wrong.
    }
    this.live = false;
    this.wake();
  }
}
