/** The answer on standard output: as it is with `--json`, else as people read it. */
export function answer(json: boolean | undefined, body: unknown, forPeople: () => string): void {
  process.stdout.write(json ? `${JSON.stringify(body)}\n` : forPeople());
}

/** What is worth knowing besides the answer; nothing with `--json`, where standard error is for errors. */
export function remark(json: boolean | undefined, text: string): void {
  if (!json) process.stderr.write(`${text}\n`);
}

export function example(...lines: string[]): string {
  return `\nExample:\n${lines.map((line) => `  $ countersign ${line}\n`).join('')}`;
}
