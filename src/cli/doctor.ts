import type { Command } from 'commander';
import type { Diagnosis, Finding } from '../main/doctor';
import { answer, example } from './output';
import { beside, printable } from './terminal/text';

/** `countersign doctor`: exits 0 when nothing is wrong, else 3. What is merely not set is not wrong. */
export function addDoctorCommand(root: Command): void {
  root
    .command('doctor')
    .description('say what is reachable, which versions, what is wrong and how to fix it')
    .option('--json', 'print what was found as JSON')
    .addHelpText('after', example('doctor'))
    .action(async ({ json }: { json?: boolean }) => {
      const { diagnose } = await import('../main/doctor/index.js');
      const diagnosis = await diagnose();
      answer(json, diagnosis, () => report(diagnosis));
      process.exitCode = diagnosis.status === 'ok' ? 0 : 3;
    });
}

const words: Record<Finding['status'], string> = { ok: 'ok', wrong: 'WRONG', not_set: 'not set' };

function report({ status, version, checks }: Diagnosis): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.map(({ name, status: how, detail, fix }) => {
    const line = beside(`${words[how].padEnd(7)}  ${name.padEnd(width)}  `, printable(detail));
    return fix === undefined ? line : line + beside(`${' '.repeat(width + 11)}fix: `, fix);
  });
  const verdict = status === 'ok' ? 'Nothing is wrong.' : 'Something is wrong; see above.';
  return `Countersign ${version}\n\n${lines.join('')}\n${verdict}\n`;
}
