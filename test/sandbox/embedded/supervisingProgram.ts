/** A process that supervises two parts and tells what happens, one JSON line each. */
import { join } from 'node:path';
import { openDataFolder } from '../../../src/sandbox/embedded/dataFolder';
import { untilHttpAnswers } from '../../../src/sandbox/embedded/readiness';
import { Supervisor } from '../../../src/sandbox/embedded/supervisor';

const [dataFolder = '', oursPort = '', foreignPort = ''] = process.argv.slice(2);
const tell = (event: string, what: object): void =>
  void process.stdout.write(`${JSON.stringify({ event, ...what })}\n`);

async function main(): Promise<void> {
  const folder = await openDataFolder(dataFolder);
  const supervisor = new Supervisor({ folder, baseEnv: {} });
  supervisor.on('died', (what) => tell('died', what));
  supervisor.on('stopped', (what) => tell('stopped', what));
  process.on('SIGINT', () => {
    void supervisor.stop().then(() => {
      folder.release();
      process.exit(0);
    });
  });
  await supervisor.start({
    name: 'foreign',
    command: process.execPath,
    args: ['-e', `require('http').createServer((_, r) => r.end()).listen(${foreignPort}, '127.0.0.1')`],
    ready: (signal) => untilHttpAnswers(`http://127.0.0.1:${foreignPort}/`, signal),
  });
  await supervisor.start({
    name: 'ours',
    command: process.execPath,
    args: ['-r', join(__dirname, 'typescriptHook.cjs'), join(__dirname, 'supervisedProgram.ts'), oursPort],
    ready: (signal) => untilHttpAnswers(`http://127.0.0.1:${oursPort}/`, signal),
  });
  tell('ready', { pids: supervisor.pids() });
}

void main();
