import { CountersignError, errorCatalogue } from '../domain/errors';

/** 1: refused; 2: wrong usage; 3: something needed is unavailable. */
export function exitCodeOf(error: unknown): 1 | 2 | 3 {
  if (!(error instanceof CountersignError)) return 3;
  if (error.code === 'dependency_unavailable' || error.status >= 500) return 3;
  return 1;
}

/** On standard error: a sentence for people, problem+json with `--json`. */
export function printError(error: unknown, json: boolean): void {
  const known =
    error instanceof CountersignError ? error : new CountersignError('internal', messageOf(error));
  if (!json) {
    process.stderr.write(`countersign: ${known.detail}\n`);
    return;
  }
  const { code, status, detail, details } = known;
  const problem = {
    ...details,
    type: `urn:countersign:error:${code}`,
    title: errorCatalogue[code].meaning,
    status,
    code,
    detail,
  };
  process.stderr.write(`${JSON.stringify(problem)}\n`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
