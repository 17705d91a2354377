'use strict';
// Runs many commands in one process, since each process of its own takes its time to start.
const [, , programFile, examples] = process.argv;
const { program } = require(programFile);

async function run() {
  const outcomes = [];
  const write = process.stdout.write.bind(process.stdout);
  for (const words of JSON.parse(examples)) {
    let printed = '';
    process.stdout.write = (text) => {
      printed += text;
      return true;
    };
    const code = await program(false)
      .parseAsync(words, { from: 'user' })
      .then(
        () => 'ok',
        (error) => error.code ?? error.message,
      );
    process.stdout.write = write;
    outcomes.push({ example: words.join(' '), code, printed: printed.slice(0, 200) });
  }
  process.exitCode = 0;
  write(JSON.stringify(outcomes));
}

void run();
