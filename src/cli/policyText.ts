import type { Policy, PolicyReport, PolicySummary } from '../client';
import { table, when } from './terminal/table';
import { printable } from './terminal/text';
import { moment } from './terminal/time';

type Problem = PolicyReport['problems'][number];
type Case = PolicyReport['cases'][number];

const files = { rules: 'policy.cedar', table: 'table.json', cases: 'cases.json' } as const;

export function problemLine({ where, rule, line, message }: Problem): string {
  const place = `${files[where]}${line === undefined ? '' : `:${line}`}`;
  return `${place}: ${rule === undefined ? '' : `rule ${rule}: `}${message}`;
}

export function failedCaseLine({ case: title, expected, got, detail }: Case): string {
  const why = detail === undefined ? '' : ` (${detail})`;
  return `the case "${title}" expects ${expected} and gets ${got}${why}`;
}

/** What is wrong, or that nothing is. */
export function checked({ ok, problems, cases }: PolicyReport): string {
  const wrong = [...problems.map(problemLine), ...cases.filter(({ passed }) => !passed).map(failedCaseLine)];
  const lines = wrong.map((line) => `${printable(line)}\n`).join('');
  if (!ok) return `${lines}\nIt can't be published.\n`;
  return `The rules are valid, the table is complete, and ${countOf(cases.length)} out as expected.\n`;
}

function countOf(cases: number): string {
  return cases === 1 ? '1 example comes' : `${cases} examples come`;
}

/** Every example with what it comes to. */
export function tested(report: PolicyReport): string {
  const { problems, cases } = report;
  if (problems.length > 0) return checked(report);
  const lines = cases.map((one) =>
    one.passed ? `ok      ${one.case}: ${one.got}` : `FAILED  ${failedCaseLine(one)}`,
  );
  const failed = cases.filter(({ passed }) => !passed).length;
  return `${lines.map((line) => `${printable(line)}\n`).join('')}\n${cases.length - failed} passed, ${failed} failed\n`;
}

export function compared(against: string, report: PolicyReport): string {
  const { problems, changes, changedAnswers } = report;
  if (problems.length > 0) return checked(report);
  const what = changes.map((change) => `  ${printable(change)}\n`).join('');
  const answers = changedAnswers
    .map(({ case: title, before, after }) => `  ${printable(`${title}: ${after}; was ${before}`)}\n`)
    .join('');
  return [
    changes.length === 0 ? `Nothing changes against ${against}.\n` : `Against ${against}:\n${what}`,
    answers === '' ? '' : `\nExamples that come out otherwise:\n${answers}`,
    changes.length > 0 && answers === ''
      ? '\nNo example shows a difference; one that does would help whoever reviews this.\n'
      : '',
    report.ok ? '' : `\n${checked(report)}`,
  ].join('');
}

export function policyList(items: readonly PolicySummary[]): string {
  return table(items, [
    { title: 'VERSION', of: ({ version }) => version },
    when('PUBLISHED', ({ publishedAt }) => publishedAt),
    { title: 'BY', of: ({ publishedBy }) => publishedBy ?? '', optional: true },
    { title: 'COMMENT', of: ({ comment }) => comment ?? '', optional: true, cut: true },
  ]);
}

export function policyPage({ version, publishedAt, publishedBy, comment, inWords, cedar }: Policy): string {
  const by = publishedBy === null ? '' : ` by ${publishedBy}`;
  const heading = `Policy ${version}, published ${moment(publishedAt)}${by}${comment === null ? '' : `: ${comment}`}`;
  const rules = cedar
    .split('\n')
    .map((line) => `  ${(/^ */.exec(line)?.[0] ?? '') + printable(line)}`.trimEnd())
    .join('\n');
  return `${printable(heading)}\n\n${inWords.map((line) => `  ${printable(line)}\n`).join('')}\n${rules.trimEnd()}\n`;
}
