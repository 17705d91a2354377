import type { PolicyJson } from './engine';

/**
 * Whether a rule says yes where a fact of a refund's past is not known (ADR 0015). The schema has every such fact
 * asked for with `has`; a `has` that is false must not leave a permit in force, nor take a forbid out of it. So it
 * stands where being false makes the rule stricter: in the `when` of a permit or the `unless` of a forbid, or under
 * one `!` in the other two. Where it can't be told, as in the condition of an `if`, it counts as a yes.
 */
export function passesOnUnknown({ effect, conditions }: PolicyJson): boolean {
  return conditions.some(({ kind, body }) =>
    passes(body, (effect === 'permit') === (kind === 'when') ? 'strict' : 'lax'),
  );
}

/** What a `has` that is false makes of the rule; undefined where nothing can be told. */
type Effect = 'strict' | 'lax' | undefined;
const opposite = { strict: 'lax', lax: 'strict' } as const;

function passes(expression: unknown, effect: Effect): boolean {
  if (typeof expression !== 'object' || expression === null) return false;
  if (Array.isArray(expression)) return expression.some((part) => passes(part, undefined));
  return Object.entries(expression).some(([operator, operands]: [string, unknown]) => {
    switch (operator) {
      case 'has':
        return asksOfThePast(operands) && effect !== 'strict';
      case '!':
        return parts(operands).some((part) => passes(part, effect && opposite[effect]));
      case '&&':
      case '||':
        return parts(operands).some((part) => passes(part, effect));
      default:
        return parts(operands).some((part) => passes(part, undefined));
    }
  });
}

function parts(operands: unknown): unknown[] {
  return typeof operands === 'object' && operands !== null ? Object.values(operands) : [];
}

/** `resource has risk`, `resource has risk.customer`, and whatever is asked of `resource.risk`. */
function asksOfThePast(has: unknown): boolean {
  const { left, attr } = has as { left: unknown; attr: unknown };
  return [attr].flat().includes('risk') || JSON.stringify(left).includes('"attr":"risk"');
}
