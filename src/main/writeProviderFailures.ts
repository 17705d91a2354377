import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failureTable, ownRefusals } from '../adapters/payments/failureTable';
import { errorCatalogue, type ErrorCode, type RetryDecision } from '../domain/errors';
import { packageRoot } from './version';

export const providerFailuresFile = join(packageRoot, 'docs', 'provider-failures.md');

const decisions: Record<RetryDecision, { readonly name: string; readonly means: string }> = {
  retry: { name: 'retry', means: 'the same call with the same key, with growing pauses' },
  wait: {
    name: 'wait until',
    means: 'the same call with the same key, not before the time that the provider named',
  },
  look_up: {
    name: 'look up first',
    means:
      'the outcome is unknown and the amount stays held: the same key while the provider keeps it, a search by payment and metadata where that says nothing new',
  },
  ask_person: { name: 'ask a person', means: 'the run waits in `needs_review`' },
  fail: { name: 'fail', means: 'final; the amount is free again' },
};

/** The failure table as a document; the same for the same table, so that a test can hold the file against it. */
export function providerFailuresText(): string {
  const then = (code: ErrorCode): string => decisions[errorCatalogue[code].retry].name;
  return `# What can go wrong at the payment provider, and what happens then

Made by \`npm run failures\` from \`src/adapters/payments/failureTable.ts\` and \`src/domain/errors.ts\`; a test keeps it current.
The first row that fits counts. The type is the error's code at every door and the failure type in Temporal's history.

| cause | what the provider says | type | then |
|---|---|---|---|
${failureTable.map(({ cause, said, code }) => `| ${cause} | ${said} | \`${code}\` | ${then(code)} |`).join('\n')}

| then | what that is |
|---|---|
${Object.values(decisions)
  .map(({ name, means }) => `| ${name} | ${means} |`)
  .join('\n')}

The SDK's own retries are off: whether and when a call is made again is decided here alone. A read whose connection was closed on it is the one
exception; the SDK sends it once more. No error is repeated in the provider's own words, which may quote parameters; its code and request id are kept.

What the adapter refuses by itself, before a call or on what it reads:

| cause | type | then |
|---|---|---|
${ownRefusals.map(({ cause, code }) => `| ${cause} | \`${code}\` | ${then(code)} |`).join('\n')}
`;
}

if (require.main === module) {
  writeFileSync(providerFailuresFile, providerFailuresText());
  console.log(`what can go wrong at the provider: ${providerFailuresFile}`);
}
