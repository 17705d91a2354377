import { preparseSchema, statefulIsAuthorized, type Response } from './engine';
import { forbidCodes, type Ask, type Question, type Verdict } from '../../domain/policy/authorization';
import type { Policy } from '../../domain/policy/document';
import type { Authorization, PolicyProblem, PolicyRule } from '../../ports/authorization';
import { entitiesOf } from './entities';
import { prepare, type Prepared } from './preparedRules';
import { splitRules, validateRules, type Rule } from './ruleText';
import { schema } from './schema';

const schemaName = 'countersign';

/**
 * Cedar, with the policy kept parsed. Cedar itself skips a rule that fails and decides by the others, so that a
 * `forbid` with an error would permit: here any diagnostic is a no, and so is a question that doesn't fit the schema.
 */
export class CedarAuthorization implements Authorization {
  constructor() {
    const parsed = preparseSchema(schemaName, schema);
    if (parsed.type === 'failure') throw new Error(parsed.errors.map(({ message }) => message).join('; '));
  }

  under({ cedar, document }: Pick<Policy, 'cedar' | 'document'>): Ask {
    return (question) => {
      try {
        return decide(prepare(cedar), question, document);
      } catch (error) {
        return unable(error instanceof Error ? error.message : String(error));
      }
    };
  }

  problems(cedar: string): PolicyProblem[] {
    return validateRules(cedar);
  }

  rules(cedar: string): PolicyRule[] {
    const split = splitRules(cedar);
    if ('problems' in split) return [];
    return split.rules.map(({ id, effect, text }) => ({ id, effect, text }));
  }
}

function decide(prepared: Prepared, question: Question, document: Policy['document']): Verdict {
  if (prepared.unusable !== undefined) return unable(prepared.unusable);
  const { principal, resource, tenant } = entitiesOf(question, document);
  if (question.who.tenant !== tenant) return { allowed: false, because: 'no_rule' };
  const answer = statefulIsAuthorized({
    principal: principal.uid,
    action: { type: 'Action', id: question.action },
    resource: resource.uid,
    context: {},
    entities: [principal, resource],
    preparsedPolicySetId: prepared.slot,
    preparsedSchemaName: schemaName,
    validateRequest: true,
  });
  if (answer.type === 'failure') return unable(answer.errors.map(({ message }) => message).join('; '));
  return verdictOf(answer.response, prepared.rules);
}

function verdictOf({ decision, diagnostics }: Response, rules: ReadonlyMap<string, Rule>): Verdict {
  const [failed] = diagnostics.errors;
  if (failed) return unable(`rule ${failed.policyId}: ${failed.error.message}`);
  // In the order of the text, so that of two rules that forbid always the same one speaks.
  const ruleIds = [...rules.keys()].filter((id) => diagnostics.reason.includes(id));
  if (decision === 'allow') return { allowed: true, ruleIds };
  const [first] = ruleIds;
  if (first === undefined) return { allowed: false, because: 'no_rule' };
  const rule = rules.get(first);
  const code = forbidCodes.find((known) => known === rule?.code) ?? 'forbidden';
  const says = rule?.says === undefined ? {} : { says: rule.says };
  return { allowed: false, because: 'forbidden', ruleIds, code, ...says };
}

function unable(why: string): Verdict {
  return {
    allowed: false,
    because: 'error',
    detail: `the policy can't be evaluated, and what can't be evaluated is not allowed (${why})`,
  };
}
