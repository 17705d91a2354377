import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cliEntry } from '../../src/main/version';

/** Whatever was printed: the tests say what it has to be, these members only how they get at it. */
export interface Printed {
  readonly runId: string;
  readonly id: string;
  readonly phase: string;
  readonly idempotencyKey: string;
  readonly decisionId: string;
  readonly items: readonly { readonly id: string; readonly runId: string }[];
  readonly votes: readonly unknown[];
  readonly code: string;
  readonly detail: string;
  readonly status: unknown;
  readonly seq: number;
  readonly checks: readonly { readonly name: string; readonly status: string; readonly detail: string }[];
  readonly [member: string]: unknown;
}

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output, parsed. */
  readonly json: Printed;
  /** Standard error, parsed. */
  readonly problem: Printed;
}

/** A data folder in which nothing ever ran: commands that call the API read it and make nothing. */
const noFolder = join(tmpdir(), `countersign-cli-none-${process.pid}`);

/** The built command line as a process of its own, with nothing of this one's environment but what is given. */
export async function runCli(args: readonly string[], env: Record<string, string> = {}): Promise<CliRun> {
  const child = spawn(process.execPath, [cliEntry, ...args], {
    env: { PATH: process.env['PATH'], COUNTERSIGN_DATA_DIR: noFolder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, code] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return {
    code,
    stdout,
    stderr,
    get json() {
      return JSON.parse(stdout) as Printed;
    },
    get problem() {
      return JSON.parse(stderr) as Printed;
    },
  };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
