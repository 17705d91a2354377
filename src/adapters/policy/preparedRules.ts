import { createHash } from 'node:crypto';
import { preparsePolicySet } from './engine';
import { splitRules, type Rule } from './ruleText';

/** Texts that are kept parsed; a process meets few versions at a time. */
const keptTexts = 64;

export interface Prepared {
  /** Where Cedar keeps it parsed. */
  readonly slot: string;
  /** By id; empty when the text can't be used. */
  readonly rules: ReadonlyMap<string, Rule>;
  readonly unusable?: string;
}

/** As Cedar's own store, one for the whole process; the text that was used least recently stands first. */
const prepared = new Map<string, Prepared>();

/** The text parsed once, and again only after many others were used. */
export function prepare(cedar: string): Prepared {
  const key = createHash('sha256').update(cedar).digest('hex');
  const found = prepared.get(key);
  prepared.delete(key);
  const usable = found ?? parse(cedar, freeSlot());
  prepared.set(key, usable);
  return usable;
}

function parse(cedar: string, slot: string): Prepared {
  const split = splitRules(cedar);
  if ('problems' in split) return { slot, rules: new Map(), unusable: text(split.problems) };
  const rules = new Map(split.rules.map((rule) => [rule.id, rule]));
  const staticPolicies = Object.fromEntries(split.rules.map((rule) => [rule.id, rule.text]));
  const parsed = preparsePolicySet(slot, { staticPolicies });
  if (parsed.type === 'failure') return { slot, rules: new Map(), unusable: text(parsed.errors) };
  return { slot, rules };
}

function freeSlot(): string {
  const [oldest] = prepared;
  if (prepared.size < keptTexts || !oldest) return `policy-${prepared.size}`;
  prepared.delete(oldest[0]);
  return oldest[1].slot;
}

function text(problems: readonly { readonly message: string }[]): string {
  return problems.map(({ message }) => message).join('; ');
}
