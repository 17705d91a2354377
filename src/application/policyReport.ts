import type { z } from 'zod';
import { policyCases, type PolicyCases } from '../domain/policy/cases';
import { tableChanges } from '../domain/policy/describe';
import { policyDocument, type PolicyDocument } from '../domain/policy/document';
import { runCases, type CaseResult } from '../domain/policy/runCases';
import { redact } from '../domain/screening/screen';
import type { Authorization, PolicyProblem } from '../ports/authorization';

/** A policy as somebody wrote it: nothing of it is checked yet. */
export interface WrittenPolicy {
  readonly cedar: string;
  readonly table: unknown;
  readonly cases: unknown;
}

export interface ValidPolicy {
  readonly cedar: string;
  readonly document: PolicyDocument;
  readonly cases: PolicyCases;
}

export interface ChangedAnswer {
  readonly case: string;
  readonly before: string;
  readonly after: string;
}

export interface PolicyReport {
  /** Whether it could be published. */
  readonly ok: boolean;
  readonly problems: readonly PolicyProblem[];
  readonly cases: readonly CaseResult[];
  /** What it would change, in plain words; empty without something to compare with. */
  readonly changes: readonly string[];
  /** Examples of either version that come out otherwise. */
  readonly changedAnswers: readonly ChangedAnswer[];
  /** Present when nothing is wrong but perhaps a case. */
  readonly valid?: ValidPolicy;
}

/** What one version settles otherwise than another, and what of their examples comes out otherwise. */
export function differencesOf(
  authorization: Authorization,
  before: ValidPolicy,
  after: ValidPolicy,
): Pick<PolicyReport, 'changes' | 'changedAnswers'> {
  return {
    changes: changesBetween(authorization, before, after),
    changedAnswers: answersChanged(authorization, before, after),
  };
}

/** What is wrong with a policy, what its examples come to, and what it would change of `current`. */
export function reportOn(
  authorization: Authorization,
  written: WrittenPolicy,
  current?: ValidPolicy,
): PolicyReport {
  const table = policyDocument.safeParse(written.table);
  const cases = policyCases.safeParse(written.cases);
  const found = [
    ...authorization.problems(written.cedar),
    ...(table.success ? [] : problemsOf('table', table.error)),
    ...(cases.success ? [] : problemsOf('cases', cases.error)),
  ];
  // What is quoted may be what must not be stored (R39).
  const problems = found.map((problem) => ({ ...problem, message: redact(problem.message) }));
  if (!table.success || !cases.success || problems.length > 0)
    return { ok: false, problems, cases: [], changes: [], changedAnswers: [] };

  const valid = { cedar: written.cedar, document: table.data, cases: cases.data };
  const results = run(authorization, valid, valid.cases);
  return {
    ok: results.every(({ passed }) => passed),
    problems,
    cases: results,
    ...(current ? differencesOf(authorization, current, valid) : { changes: [], changedAnswers: [] }),
    valid,
  };
}

function run(authorization: Authorization, policy: ValidPolicy, cases: PolicyCases): CaseResult[] {
  return runCases({ version: 'proposed', document: policy.document }, authorization.under(policy), cases);
}

function changesBetween(authorization: Authorization, before: ValidPolicy, after: ValidPolicy): string[] {
  const was = new Map(authorization.rules(before.cedar).map((rule) => [rule.id, rule]));
  const is = new Map(authorization.rules(after.cedar).map((rule) => [rule.id, rule]));
  const rules = [...new Set([...was.keys(), ...is.keys()])].flatMap((id) => {
    const [old, now] = [was.get(id), is.get(id)];
    if (!old) return now ? [`rule ${id}: new; it ${now.effect}s`] : [];
    if (!now) return [`rule ${id}: gone; it ${old.effect === 'forbid' ? 'forbade' : 'permitted'}`];
    return sameWords(old.text, now.text) ? [] : [`rule ${id}: reads otherwise`];
  });
  return [...tableChanges(before.document, after.document), ...rules];
}

/** Line breaks and indentation change nothing. */
function sameWords(a: string, b: string): boolean {
  return a.replace(/\s+/g, ' ') === b.replace(/\s+/g, ' ');
}

function answersChanged(
  authorization: Authorization,
  before: ValidPolicy,
  after: ValidPolicy,
): ChangedAnswer[] {
  const examples = [after.cases, withoutTitles(before.cases, after.cases)];
  return examples.flatMap((cases) => {
    const then = run(authorization, before, cases);
    return run(authorization, after, cases).flatMap((result, i) => {
      const was = then[i]?.got ?? '';
      return was === result.got ? [] : [{ case: result.case, before: was, after: result.got }];
    });
  });
}

/** An example that both versions have is compared once, as the new one tells it. */
function withoutTitles({ people, cases }: PolicyCases, other: PolicyCases): PolicyCases {
  const titles = new Set(other.cases.map((one) => one.case));
  return { people, cases: cases.filter((one) => !titles.has(one.case)) };
}

function problemsOf(where: 'table' | 'cases', error: z.ZodError): PolicyProblem[] {
  return error.issues.slice(0, 20).map(({ path, message }) => ({
    where,
    message: path.length === 0 ? message : `${path.join('.')}: ${message}`,
  }));
}
