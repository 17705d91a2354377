import type { Connection } from '@temporalio/client';
import { untilReady } from './readiness';

/** As the API numbers them; the names are those of the command line. */
const typeNumbers = { Text: 1, Keyword: 2, Int: 3, Double: 4, Bool: 5, Datetime: 6, KeywordList: 7 } as const;

export type SearchAttributeType = keyof typeof typeNumbers;

/**
 * Adds what is missing, as on a database of an earlier version, and resolves when queries can name all of
 * them. One that is there with another type is an error: its values would not fit.
 */
export async function ensureSearchAttributes(
  connection: Connection,
  namespace: string,
  wanted: Readonly<Record<string, SearchAttributeType>>,
  signal: AbortSignal,
): Promise<void> {
  const missing = await missingOf(connection, namespace, wanted);
  if (Object.keys(missing).length > 0) {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: missing });
  }
  await untilReady(async () => {
    const names = Object.keys(await missingOf(connection, namespace, wanted));
    if (names.length > 0) throw new Error(`search attributes are not there yet: ${names.join(', ')}`);
    // Visibility keeps a copy of its own, which comes a moment later.
    for (const name of Object.keys(wanted)) {
      await connection.workflowService.countWorkflowExecutions({ namespace, query: `${name} IS NOT NULL` });
    }
  }, signal);
}

async function missingOf(
  connection: Connection,
  namespace: string,
  wanted: Readonly<Record<string, SearchAttributeType>>,
): Promise<Record<string, number>> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing: Record<string, number> = {};
  for (const [name, type] of Object.entries(wanted)) {
    const present = customAttributes[name];
    if (present === undefined) missing[name] = typeNumbers[type];
    else if (Number(present) !== typeNumbers[type]) {
      throw new Error(`search attribute ${name} exists with another type than ${type}`);
    }
  }
  return missing;
}
