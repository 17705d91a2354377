import { CountersignError, errorCatalogue } from '../domain/errors';
import { moneyText } from './amountText';
import { failedCaseLine, problemLine } from './policyText';
import { printable } from './terminal/text';

/** The command line itself is not as it should be. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** 1: refused; 2: wrong usage; 3: something needed is unavailable. */
export function exitCodeOf(error: unknown): 1 | 2 | 3 {
  if (error instanceof UsageError) return 2;
  if (!(error instanceof CountersignError)) return 3;
  return error.status >= 500 ? 3 : 1;
}

/** On standard error: a sentence for people, problem+json with `--json`. `hint` says what to do where no code does. */
export function printError(error: unknown, json: boolean, hint?: string): void {
  const known = asKnown(error);
  process.stderr.write(json ? `${JSON.stringify(problemOf(known))}\n` : sentencesOf(known, hint));
}

function asKnown(error: unknown): CountersignError {
  if (error instanceof CountersignError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new CountersignError(error instanceof UsageError ? 'invalid_request' : 'internal', text);
}

function problemOf({ code, status, detail, details }: CountersignError): Record<string, unknown> {
  const title = errorCatalogue[code].meaning;
  const own = { type: `urn:countersign:error:${code}`, title, status, code, detail };
  return { ...own, ...details, ...own };
}

function sentencesOf({ code, detail, details }: CountersignError, otherwise?: string): string {
  const further = [
    ...amountsOf(details),
    ...whoCould(details),
    ...issuesOf(details),
    ...policyFaultsOf(details),
    ...rowsOf(details),
  ].filter((line) => line !== detail);
  const hint = nextStepOf(code, details) ?? otherwise;
  return [
    `countersign: ${detail.split('\n').map(clean).join('\n')}`,
    ...further.map((line) => `  ${printable(line)}`),
    ...(hint === undefined ? [] : [`  ${hint}`]),
    ...(typeof details['idempotencyKey'] === 'string'
      ? [`  whatever came of it, this goes on with it: --idempotency-key ${details['idempotencyKey']}`]
      : []),
    '',
  ].join('\n');
}

/** Keeps the indentation of longer explanations. */
function clean(line: string): string {
  return (/^ */.exec(line)?.[0] ?? '') + printable(line);
}

function nextStepOf(code: string, { reason, needed }: Readonly<Record<string, unknown>>): string | undefined {
  if (code === 'dependency_unavailable' && reason === 'ECONNREFUSED')
    return 'nothing listens there: start everything with countersign up, or see what is down with: countersign doctor';
  if (code === 'dependency_unavailable' && reason === 'ENOTFOUND')
    return 'there is no such host: check --api-url or COUNTERSIGN_API_URL';
  if (code === 'insufficient_scope' && Array.isArray(needed) && needed.length > 0)
    return `what yours opens: countersign key show; an administrator makes another: countersign admin key create --scope ${needed.join('|')} …`;
  return hints[code];
}

/** Said by the commands that know. */
function whoCould({ whoCould: who }: Readonly<Record<string, unknown>>): string[] {
  return typeof who === 'string' ? [`who could: ${who}`] : [];
}

const hints: Partial<Record<string, string>> = {
  forbidden: 'whom the token stands for, and his groups: countersign key show',

  unauthenticated: 'check COUNTERSIGN_TOKEN, or name a person of the embedded set-up: --as acme/service',
  dependency_unavailable: 'see what is down with: countersign doctor',
  rate_limited: 'an operator sets how often a key may call: COUNTERSIGN_CALLS_PER_MINUTE of the API',
  version_conflict: 'see what it has become, and try again on that',
  approval_claimed: 'it is over by itself then; rejecting and escalating are possible meanwhile',
  already_delegated: 'take it back with: countersign approvals withdraw <id>',
  decision_stale: 'see what it has become with: countersign approvals show <id>',
};

/** What was asked for and what there is, in minor units. */
function amountsOf({ requested, remaining, currency }: Readonly<Record<string, unknown>>): string[] {
  const [asked, left] = [
    moneyText({ minor: requested, currency }),
    moneyText({ minor: remaining, currency }),
  ];
  return asked === undefined || left === undefined ? [] : [`asked for: ${asked}, remaining: ${left}`];
}

/** How many rows of a refused file are named; with `--json` all that the API names. */
const namedRows = 20;

function rowsOf({ rows, issueCount }: Readonly<Record<string, unknown>>): string[] {
  if (!Array.isArray(rows)) return [];
  const lines = (rows as { row: number; field: string | null; code: string; detail: string }[])
    .slice(0, namedRows)
    .map(
      ({ row, field, code, detail }) =>
        `row ${row}${field === null ? '' : `, ${field}`}: ${detail} (${code})`,
    );
  const rest = Number(issueCount) - lines.length;
  return rest > 0 ? [...lines, `and ${rest} more; see all with --json`] : lines;
}

function issuesOf(details: Readonly<Record<string, unknown>>): string[] {
  const issues = Array.isArray(details['issues']) ? (details['issues'] as unknown[]) : [];
  return issues.flatMap((issue) =>
    typeof issue === 'object' && issue !== null && 'path' in issue && 'message' in issue
      ? [`${String(issue.path)}: ${String(issue.message)}`]
      : [],
  );
}

/** What is wrong with a policy, and which of its examples fail. */
function policyFaultsOf({ problems, cases }: Readonly<Record<string, unknown>>): string[] {
  return [
    ...(Array.isArray(problems) ? (problems as Parameters<typeof problemLine>[0][]).map(problemLine) : []),
    ...(Array.isArray(cases) ? (cases as Parameters<typeof failedCaseLine>[0][]).map(failedCaseLine) : []),
  ];
}
