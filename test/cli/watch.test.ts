import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { program } from '../../src/cli/program';
import { follow } from '../../src/cli/watch';
import { CountersignError } from '../../src/client';
import { cliEntry, packageRoot } from '../../src/main/version';
import type { EmbeddedPerson } from '../../src/sandbox/embeddedTenants';
import { until } from '../support/processes';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { actor } from './actors';
import { examplesOf, leaves, words } from './commandLeaves';
import { PseudoTerminal } from './pseudoTerminal';
import type { Printed } from './runCli';

describe('what is followed', () => {
  const away = new CountersignError('dependency_unavailable');

  test('what changes while it is looked is looked at again, and its end is the end', async () => {
    let changed: () => void = () => undefined;
    const first = new Promise<void>((resolve) => (changed = resolve));
    let reads = 0;
    const seen: number[] = [];
    const last = await follow(
      {
        read: async () => {
          reads += 1;
          changed();
          return Promise.resolve(reads);
        },
        text: String,
        ended: (read) => read === 2,
        changes: async function* () {
          yield await first;
          await new Promise(() => undefined);
        },
      },
      (read) => seen.push(read),
      () => undefined,
    );
    expect([last, seen]).toEqual([2, [1, 2]]);
  });

  test('an outage is told once and looked through; a refusal ends it, and so does an outage at the beginning', async () => {
    const answers: (number | Error)[] = [1, away, away, 2];
    const told: string[] = [];
    const read = () => {
      const answer = answers.shift() ?? new CountersignError('not_found');
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    };
    const followed = (ended: (seen: number) => boolean) =>
      follow(
        { read, text: String, ended },
        () => undefined,
        ({ code }) => told.push(code),
      );
    await expect(followed((seen) => seen === 2)).resolves.toBe(2);
    expect(told).toEqual(['dependency_unavailable']);
    await expect(followed(() => false)).rejects.toMatchObject({ code: 'not_found' });
    answers.push(away);
    await expect(followed(() => false)).rejects.toBe(away);
  });
});

describe('countersign … --watch', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const environment = (person: EmbeddedPerson) => ({
    PATH: process.env['PATH'],
    COUNTERSIGN_API_URL: stack.apiUrl,
    COUNTERSIGN_TOKEN: testTokens.acme[person],
  });

  /** A command that goes on until it is stopped, or ends by itself. */
  function watching(person: EmbeddedPerson, ...args: string[]) {
    const child = spawn(process.execPath, [cliEntry, ...args, '--watch'], {
      env: environment(person),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = { out: '', err: '' };
    child.stdout.on('data', (piece: Buffer) => (printed.out += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => (printed.err += piece.toString()));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return {
      printed,
      ended,
      lines: () =>
        printed.out
          .trimEnd()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Printed),
      stop: (signal: 'SIGINT' | 'SIGTERM') => {
        child.kill(signal);
        return ended;
      },
    };
  }

  test('lists and pages show every change, one object a line; a page ends with what it shows, a list with Ctrl-C', async () => {
    const list = watching('reviewer1', 'approvals', 'list', '--json');
    await until(async () => list.lines().length === 1);
    expect(list.lines()[0]?.items).toEqual([]);

    const paymentId = await stack.provider.charge(100_000);
    const { id, runId } = await stack.as('service').openApproval({ paymentId, amount: '120.00' });
    await until(async () => list.lines().at(-1)?.items[0]?.id === id);

    const page = watching('reviewer1', 'approvals', 'show', id, '--json');
    const refund = watching('service', 'refund', 'show', runId, '--json');
    await until(async () => page.lines().length > 0 && refund.lines().length > 0);
    expect([page.lines()[0]?.status, refund.lines()[0]?.phase]).toEqual(['open', 'waiting_approval']);
    const approved = await actor(stack, 'reviewer1')('approvals', 'approve', id);
    expect(approved.code).toBe(0);

    expect(await Promise.all([page.ended, refund.ended])).toEqual([0, 0]);
    expect([page.lines().at(-1)?.status, refund.lines().at(-1)?.phase]).toEqual(['approved', 'completed']);
    await until(async () => list.lines().at(-1)?.items.length === 0);
    expect(await list.stop('SIGINT')).toBe(0);
    for (const { printed } of [list, page, refund]) {
      const lines = printed.out.trimEnd().split('\n');
      expect(printed.err).toBe('');
      expect(lines.filter((line, index) => line === lines[index - 1])).toEqual([]);
    }
  });

  test('where no stream tells of changes it is looked again, and people see the page once more', async () => {
    const brake = watching('admin', 'brake', 'show');
    await until(async () => brake.printed.out.includes('It was never pulled.'));
    const moved = await stack.as('admin').call('POST', '/v1/brake', { engaged: true, reason: 'a drill' });
    expect(moved.status).toBe(200);
    await until(async () => brake.printed.out.includes('a drill'));
    expect(brake.printed.out.match(/^Released|^PULLED/gm)).toEqual(['Released', 'PULLED']);
    expect(await brake.stop('SIGTERM')).toBe(0);
    await stack.as('admin').call('POST', '/v1/brake', { engaged: false, reason: 'over' });
  });

  test('in a terminal the page is drawn over the one before, as wide as the window, until Ctrl-C; in a pipe it is appended', async () => {
    const { approval: first } = await stack.opened();
    const [columns, rows] = [70, 12];
    const list = ['approvals', 'list', '--sort', 'newest', '--limit', '3', '--watch'];
    const command = [process.execPath, cliEntry, ...list];
    const terminal = new PseudoTerminal(columns, rows, command, environment('reviewer1'));
    const piped = watching('reviewer1', ...list.slice(0, -1));
    const shows = (id: string) => until(async () => terminal.screen.some((line) => line.includes(id)));
    await Promise.all([shows(first.id), until(async () => piped.printed.out.includes(first.id))]);
    const { approval: second } = await stack.opened();
    await Promise.all([shows(second.id), until(async () => piped.printed.out.includes(second.id))]);

    const lines = terminal.screen;
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    const found = (id: string) => lines.flatMap((line, index) => (line.includes(id) ? [index] : []));
    expect([found(first.id), found(second.id)]).toEqual([[expect.any(Number)], [expect.any(Number)]]);
    expect(lines.filter((line) => line === 'Ctrl-C ends.')).toHaveLength(1);
    expect(terminal.sent.split('\u001b[2J')).toHaveLength(2);

    terminal.type('\u0003');
    expect(await terminal.ended).toEqual({ code: 0, asBefore: true });
    // Whatever comes next begins on a line of its own, below the page.
    expect(terminal.screen.slice(-2)).toEqual(['Ctrl-C ends.', '^C']);
    expect(terminal.sent.endsWith('^C\r\n')).toBe(true);
    expect(await piped.stop('SIGINT')).toBe(0);
    expect(piped.printed.out).not.toContain('\u001b');
    // The newest is the first of its page: the one before it stands above and below.
    const { out } = piped.printed;
    expect(out.indexOf(first.id)).toBeLessThan(out.indexOf(second.id));
    expect(out.lastIndexOf(first.id)).toBeGreaterThan(out.lastIndexOf(second.id));
  });

  test('every reading example of the help runs, with what is there or with a refusal that is known', async () => {
    const reading = leaves(program(false)).filter(
      ({ command, path }) =>
        ['--watch', '--api-url'].every((name) => command.options.some(({ long }) => long === name)) &&
        path !== 'reconcile',
    );
    const examples = reading.flatMap(({ command }) =>
      examplesOf(command).map((line) => words(line.replace(/ --as \S+/, ''))),
    );
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        join(__dirname, 'runExamples.js'),
        join(packageRoot, 'dist/src/cli/program.js'),
        JSON.stringify(examples),
      ],
      { env: environment('admin') },
    );
    const outcomes = JSON.parse(stdout) as { example: string; code: string; printed: string }[];
    const known = ['ok', 'not_found', 'payment_unknown'];
    expect(outcomes.filter(({ code }) => !known.includes(code))).toEqual([]);
    expect(outcomes.filter(({ code, printed }) => code === 'ok' && printed === '')).toEqual([]);
    expect(outcomes.filter(({ code }) => code === 'ok').length).toBeGreaterThan(20);
  });

  test('a refusal says who could, and what is unknown is looked for in the list beside it', async () => {
    const paymentId = await stack.provider.charge(100_000);
    const { id } = await stack.as('service').openApproval({ paymentId, amount: '120.00' });
    const refused = await actor(stack, 'service')('approvals', 'approve', id);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('who could: a person of approvers'),
    ]);
    const unknown = await actor(stack, 'service')('refund', 'show', 'run_none');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('what there is: countersign refund list'),
    ]);
  });

  test('tables are as wide as COLUMNS says', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [cliEntry, 'refund', 'list'], {
      env: { ...environment('service'), COLUMNS: '60' },
    });
    expect(stdout).toMatch(/run_[0-9a-f]{32}/);
    expect(stdout.split('\n').filter((line) => line.length > 60)).toEqual([]);
  });
});
