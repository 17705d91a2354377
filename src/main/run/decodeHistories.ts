import type { JsonHistory } from '../../adapters/temporal/historyJson';
import { CountersignError, type Countersign, type HistoryPayload } from '../../client';

/** One execution, its history as JSON. */
export interface StoredExecution {
  readonly workflowId: string;
  readonly runId: string;
  readonly history: JsonHistory;
}

const encrypted = Buffer.from('binary/encrypted').toString('base64');

/** Payloads and their base64 that are asked about in one call, well below what the API takes. */
const mostPayloads = 500;
const mostCharacters = 2 * 1024 * 1024;

/**
 * The same histories with their encrypted payloads opened by `api`; without it they are only counted.
 * `sealed`: how many stay ciphertext.
 * @throws CountersignError forbidden, insufficient_scope
 */
export async function decodeHistories(
  api: Countersign | undefined,
  histories: readonly StoredExecution[],
): Promise<{ histories: readonly StoredExecution[]; sealed: number }> {
  const payloads = collect(histories);
  if (!api || payloads.length === 0) return { histories, sealed: payloads.length };
  const opened = new Map<string, HistoryPayload>();
  for (const batch of batches(payloads)) {
    const answers = await decoded(api, batch);
    for (const [index, payload] of batch.entries())
      opened.set(JSON.stringify(payload), answers[index] ?? payload);
  }
  const open = replaceSealed(histories, (payload) => opened.get(JSON.stringify(payload)) ?? payload);
  return { histories: open, sealed: collect(open).length };
}

async function decoded(api: Countersign, payloads: readonly HistoryPayload[]) {
  try {
    return await api.payloads.decode(payloads);
  } catch (error) {
    if (!(error instanceof CountersignError) || error.code !== 'not_found') throw error;
    throw new CountersignError(
      'not_found',
      'the API opens no payloads: it runs without COUNTERSIGN_ENCRYPTION_KEYS; leave out --decode, or set them there',
    );
  }
}

function collect(histories: readonly StoredExecution[]): HistoryPayload[] {
  const found: HistoryPayload[] = [];
  replaceSealed(histories, (payload) => {
    found.push(payload);
    return payload;
  });
  return found;
}

/** Wherever in a history one stands: arguments, results, failures, memos, headers. */
function replaceSealed<T>(value: T, replacement: (payload: HistoryPayload) => HistoryPayload): T {
  return JSON.parse(JSON.stringify(value), (_name, member: unknown) =>
    isSealed(member) ? replacement(member) : member,
  ) as T;
}

function isSealed(value: unknown): value is HistoryPayload {
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return false;
  const { metadata } = value;
  return (
    typeof metadata === 'object' &&
    metadata !== null &&
    'encoding' in metadata &&
    metadata.encoding === encrypted
  );
}

function* batches(payloads: readonly HistoryPayload[]): Generator<HistoryPayload[]> {
  let batch: HistoryPayload[] = [];
  let characters = 0;
  for (const payload of payloads) {
    batch.push(payload);
    characters += payload.data?.length ?? 0;
    if (batch.length < mostPayloads && characters < mostCharacters) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
