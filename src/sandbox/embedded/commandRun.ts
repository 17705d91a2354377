import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface CommandResult {
  readonly ok: boolean;
  /** Standard output. */
  readonly output: string;
  /** Why it failed, in one line; empty when it didn't. */
  readonly failure: string;
}

export interface CommandOptions {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly timeoutMs: number;
  readonly runAs?: { readonly uid: number; readonly gid: number } | undefined;
  /** Handed down as file descriptor 3. */
  readonly directory?: number;
}

/** Runs a command to its end. Never throws: a command that can't be started has failed. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  return new Promise((settle) => {
    let output = '';
    let complaints = '';
    const fail = (why: string): void => settle({ ok: false, output, failure: why });
    let child;
    try {
      child = spawn(command, args, {
        env: options.env,
        signal: AbortSignal.timeout(options.timeoutMs),
        killSignal: 'SIGKILL',
        stdio: ['ignore', 'pipe', 'pipe', ...(options.directory === undefined ? [] : [options.directory])],
        ...options.runAs,
      });
    } catch (error) {
      fail((error as Error).message);
      return;
    }
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
    child.once('error', (error) =>
      fail(error.name === 'AbortError' ? `took longer than ${options.timeoutMs / 1000} s` : error.message),
    );
    child.once('close', (code, signal) => {
      if (code === 0) settle({ ok: true, output, failure: '' });
      else if (signal !== null) fail(`was ended by ${signal}${said(complaints)}`);
      else fail(`exit code ${code}${said(complaints || output)}`);
    });
  });
}

/** The lines that say what went wrong usually come last. */
function said(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const errors = lines.filter((line) => /error|fatal/i.test(line));
  const telling = (errors.length > 0 ? errors : lines).slice(-2).join(' ');
  return telling === '' ? '' : `: ${telling.slice(0, 400)}`;
}

/** The file that a shell would run for this name. */
export function findOnPath(name: string, env: Readonly<NodeJS.ProcessEnv>): string | undefined {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    const candidate = join(folder, name);
    if (isExecutableFile(candidate)) return candidate;
  }
  return undefined;
}

export function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
