import type { EmbeddedPerson } from '../../src/sandbox/embeddedTenants';
import { testTokens } from '../support/shared';
import type { TestStack } from '../support/stack';
import { runCli, type CliRun } from './runCli';

/** Runs commands against a stack as one person. */
export function actor(stack: TestStack, person: EmbeddedPerson, tenant: 'acme' | 'globex' = 'acme') {
  return (...args: string[]): Promise<CliRun> =>
    runCli(args, { COUNTERSIGN_API_URL: stack.apiUrl, COUNTERSIGN_TOKEN: testTokens[tenant][person] });
}
