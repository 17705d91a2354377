import {
  checkParsePolicySet,
  policySetTextToParts,
  policyToJson,
  validate,
  type DetailedError,
  type PolicyJson,
} from './engine';
import { forbidCodes } from '../../domain/policy/authorization';
import type { PolicyProblem, PolicyRule } from '../../ports/authorization';
import { schema } from './schema';
import { passesOnUnknown } from './unknownFacts';

/** Longest text of rules, UTF-16 units. */
const longest = 32_768;

/** A rule with what its annotations say. */
export interface Rule extends PolicyRule {
  readonly code?: string;
  readonly says?: string;
}

type Split = { readonly rules: readonly Rule[] } | { readonly problems: PolicyProblem[] };

/** The rules of a text in its own order, each under its `@id`; or what stands in the way. */
export function splitRules(cedar: string): Split {
  const problem = (message: string): Split => ({ problems: [{ where: 'rules', message }] });
  if (cedar.length > longest) return problem(`longer than ${longest} characters`);
  const parsed = checkParsePolicySet({ staticPolicies: cedar });
  if (parsed.type === 'failure') return { problems: parsed.errors.map((error) => located(error, cedar)) };
  const parts = policySetTextToParts(cedar);
  if (parts.type === 'failure') return { problems: parts.errors.map((error) => located(error, cedar)) };
  if (parts.policies.length === 0) return problem('without a rule nobody may do anything');
  const rules: Rule[] = [];
  for (const text of inOrder(parts.policies)) {
    const rule = read(text);
    if (typeof rule === 'string')
      return { problems: [{ where: 'rules', ...placeOf(cedar, text), message: rule }] };
    if (rules.some(({ id }) => id === rule.id))
      return { problems: [{ where: 'rules', rule: rule.id, message: 'another rule has the same @id' }] };
    rules.push(rule);
  }
  return { rules };
}

/** Cedar numbers the rules of a text policy0, policy1, … and gives them sorted by that name. */
function inOrder(policies: readonly string[]): readonly string[] {
  const names = policies.map((_, i) => `policy${i}`).sort();
  return policies.map((_, i) => policies[names.indexOf(`policy${i}`)] ?? '');
}

function read(text: string): Rule | string {
  const parsed = policyToJson(text);
  if (parsed.type === 'failure') return parsed.errors.map(({ message }) => message).join('; ');
  const { effect, annotations = {} } = parsed.json;
  const { id, code, says, unknown: onUnknown, ...others } = annotations;
  if (id === undefined || !/^[a-z0-9][a-z0-9-]{0,63}$/.test(id))
    return 'every rule begins with @id("…"): small letters, digits and hyphens';
  const [other] = Object.keys(others);
  if (other !== undefined) return `@${other} means nothing here; there are @id, @code, @says and @unknown`;
  if (effect === 'permit' && (code ?? says) !== undefined) return '@code and @says belong to a forbid';
  if (code !== undefined && !(forbidCodes as readonly string[]).includes(code))
    return `@code is one of ${forbidCodes.join(', ')}`;
  if (onUnknown !== undefined && onUnknown !== 'passes')
    return '@unknown is "passes", or is not there: then what is not known counts against the refund';
  if (onUnknown === undefined && passesOnUnknown(parsed.json))
    return effect === 'forbid'
      ? 'where that fact is not known nothing would be forbidden: forbid … unless { … has … && … }, or say @unknown("passes")'
      : 'where that fact is not known it would be permitted: permit … when { … has … && … }, or say @unknown("passes")';
  if (effect === 'permit' && isOnlyForAutomatic(parsed.json))
    return 'the table says what is paid automatically: a rule can only forbid it';
  return {
    id,
    effect,
    text,
    ...(code === undefined ? {} : { code }),
    ...(says === undefined ? {} : { says }),
  };
}

function isOnlyForAutomatic({ action }: PolicyJson): boolean {
  const named = 'entities' in action ? action.entities : 'entity' in action ? [action.entity] : [];
  return named.length > 0 && named.every((of) => 'id' in of && of.id === 'pay_automatically');
}

/** Strict validation; a warning counts too: a rule that can never apply is no rule that anybody meant. */
export function validateRules(cedar: string): PolicyProblem[] {
  const split = splitRules(cedar);
  if ('problems' in split) return split.problems;
  const answer = validate({
    validationSettings: { mode: 'strict' },
    schema,
    policies: { staticPolicies: cedar },
  });
  if (answer.type === 'failure') return answer.errors.map((error) => located(error, cedar));
  const found = [...answer.validationErrors, ...answer.validationWarnings].map(({ policyId, error }) => {
    const id = split.rules[Number(policyId.replace('policy', ''))]?.id;
    const { message, ...place } = located(error, cedar);
    // Cedar repeats its own number of the rule, which is in no file.
    return {
      ...place,
      ...(id === undefined ? {} : { rule: id }),
      message: message.replace(/^for policy `policy\d+`, /, ''),
    };
  });
  return [...found, ...answer.otherWarnings.map((error) => located(error, cedar))];
}

function located({ message, help, sourceLocations }: DetailedError, cedar: string): PolicyProblem {
  const start = sourceLocations?.[0]?.start;
  const expected = sourceLocations?.[0]?.label;
  return {
    where: 'rules',
    ...(start === undefined ? {} : { line: lineAt(cedar, start) }),
    message: [message, expected, help].filter(Boolean).join('; '),
  };
}

/** Cedar counts bytes. */
function lineAt(cedar: string, byte: number): number {
  return Buffer.from(cedar).subarray(0, byte).toString().split('\n').length;
}

function placeOf(cedar: string, text: string): { line?: number } {
  const at = cedar.indexOf(text);
  return at < 0 ? {} : { line: cedar.slice(0, at).split('\n').length };
}
