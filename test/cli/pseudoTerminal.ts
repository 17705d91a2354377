import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** A command in a terminal of its own, as somebody in front of it sees it. Python has what Node lacks for that. */
export class PseudoTerminal {
  /** Everything that it was sent. */
  sent = '';
  /** The exit code of the command, negative for a signal, and whether the terminal's modes are those of before. */
  readonly ended: Promise<{ readonly code: number; readonly asBefore: boolean }>;
  private readonly python;

  constructor(columns: number, rows: number, command: readonly string[], env: NodeJS.ProcessEnv) {
    const script = join(__dirname, 'pseudoTerminal.py');
    this.python = spawn('python3', [script, String(columns), String(rows), ...command], {
      env: { ...env, TERM: 'xterm' },
    });
    let report = '';
    this.python.stdout.on('data', (piece: Buffer) => (this.sent += piece.toString()));
    this.python.stderr.on('data', (piece: Buffer) => (report += piece.toString()));
    this.ended = new Promise((resolve, reject) => {
      this.python.once('error', reject).once('close', () => {
        try {
          resolve(JSON.parse(report) as { code: number; asBefore: boolean });
        } catch {
          reject(new Error(report));
        }
      });
    });
  }

  type(keys: string): void {
    this.python.stdin.write(keys);
  }

  get screen(): string[] {
    return screenAfter(this.sent);
  }
}

const escape = '\u001b';
const sequenceOrLetter = new RegExp(`${escape}\\[[\\d;?]*[A-Za-z]|${escape}.|[^]`, 'gu');

/**
 * The lines that stand on the screen after all that. It knows the sequences that pages are drawn with; any other, such
 * as one that hides the cursor and might leave it hidden, is an error.
 */
export function screenAfter(sent: string): string[] {
  let lines: string[][] = [[]];
  let [row, column] = [0, 0];
  for (const [piece] of sent.matchAll(sequenceOrLetter)) {
    const line = (lines[row] ??= []);
    if (piece === `${escape}[H`) [row, column] = [0, 0];
    else if (piece === `${escape}[2J`) lines = [];
    else if (piece === `${escape}[K`) line.length = Math.min(line.length, column);
    else if (piece === `${escape}[J`) {
      line.length = Math.min(line.length, column);
      lines.length = row + 1;
    } else if (piece === '\r') column = 0;
    else if (piece === '\n') row += 1;
    else if (piece.startsWith(escape)) throw new Error(`the terminal is sent ${JSON.stringify(piece)}`);
    else line[column++] = piece;
  }
  return Array.from(lines, (line = []) =>
    Array.from(line, (letter = ' ') => letter)
      .join('')
      .trimEnd(),
  );
}
