export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'wrong' | 'not_set';
  /** What is there, or what is wrong. No secrets: this ends up in logs of health checks. */
  readonly detail: string;
  /** What to do about it. */
  readonly fix?: string;
}

/** Something is there and is not as it should be. */
export class Wrong extends Error {
  constructor(
    message: string,
    readonly fix: string,
  ) {
    super(message);
  }
}

/** How long one check may take, ms; all of them run at once. */
export const patienceMs = 5_000;

/**
 * Runs one check. `detail` is what a check that is fine says of itself.
 * @param fix what to do when it fails otherwise than with `Wrong`
 */
export async function finding(name: string, fix: string, detail: () => Promise<string>): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs / 1_000} s`)), patienceMs);
  });
  try {
    return { name, status: 'ok', detail: await Promise.race([detail(), late]) };
  } catch (error) {
    const advice = error instanceof Wrong ? error.fix : fix;
    return { name, status: 'wrong', detail: wordsOf(error), fix: advice };
  } finally {
    clearTimeout(timer);
  }
}

export function notSet(name: string, detail: string): Finding {
  return { name, status: 'not_set', detail };
}

/** After a failure, what else was to be looked at is left alone. */
export async function inTurn(...checks: readonly (() => Promise<Finding>)[]): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const check of checks) {
    const next = await check();
    found.push(next);
    if (next.status !== 'ok') break;
  }
  return found;
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const text = error.message.split('\n')[0] ?? '';
  return text === '' ? (code ?? error.name) : text;
}
