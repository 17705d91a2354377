import { spawn } from 'node:child_process';
import { join } from 'node:path';

interface Told {
  readonly code: number | null;
  readonly lines: readonly string[];
}

/** The built demo as anybody runs it; SIGTERM makes it stop everything that it started. */
async function tellDemo(entry: string, patienceMs: number): Promise<Told> {
  const file = join(__dirname, '..', 'dist', 'src', 'main', entry);
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'], timeout: patienceMs });
  let story = '';
  let complaints = '';
  child.stdout.on('data', (chunk: Buffer) => (story += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const code = await new Promise<number | null>((settle, fail) => {
    child.once('error', fail);
    child.once('close', settle);
  });
  if (code !== 0) throw new Error(`the demo ended with ${code}:\n${story}\n${complaints}`);
  return { code, lines: story.trimEnd().split('\n') };
}

test.each([
  ['demo', 'demo.js', 30],
  ['demo of agents', 'demoAgent.js', 11],
])(
  'the %s passes all its checks',
  async (_story, entry, least) => {
    const { code, lines } = await tellDemo(entry, 220_000);
    const passed = lines.filter((line) => /^ +✓ /.test(line)).length;

    expect(lines.filter((line) => line.includes('✗'))).toEqual([]);
    expect(passed).toBeGreaterThanOrEqual(least);
    expect(lines.at(-1)).toBe(`demo: ${passed} checks passed, 0 failed`);
    expect(code).toBe(0);
  },
  240_000,
);
