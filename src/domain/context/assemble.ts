import { CountersignError } from '../errors';
import {
  contextSections,
  type ContextManifest,
  type ContextReason,
  type ContextSection,
  type ManifestItem,
} from './manifest';
import { howToReadData } from './untrusted';

/** One thing that a context may show. */
export interface ContextItem {
  /** Unique within the context. */
  readonly id: string;
  readonly section: ContextSection;
  /** As it will stand there, labels and escapes included. */
  readonly text: string;
  readonly mandatory: boolean;
  readonly source?: string;
  readonly score?: number;
  /** Known to be left out before the budget is looked at. */
  readonly dropped?: ContextReason;
}

/** The order in which sections are filled after what is mandatory, and the share of the budget that each may take. */
const fillOrder: readonly { readonly section: ContextSection; readonly share: number }[] = [
  { section: 'pinned', share: 0.1 },
  { section: 'summary', share: 0.15 },
  { section: 'turns', share: 0.6 },
  { section: 'knowledge', share: 0.2 },
  { section: 'memory', share: 0.15 },
];

const headings: Readonly<Record<ContextSection, string>> = {
  policy: 'Policy in force',
  task: 'Task and state',
  approvals: 'Waiting for a person',
  facts: 'Ids and amounts of what is open, as they were written',
  pinned: 'Pinned, and what its owner said is so',
  memory: 'Remembered',
  knowledge: 'From documents',
  summary: 'Earlier in this thread',
  turns: 'The latest turns',
};

/** @returns tokens, margin included */
export type CountTokens = (text: string) => number;

/** Room for the line breaks and the merging of tokens between two items. */
const joint = 2;

/**
 * The text that a model sees, within a budget of tokens that includes every label (R50). Items are tried in the order in
 * which they are given, turns from the newest back. The same items give the same bytes.
 * @throws CountersignError context_over_budget (details: budget, needed) when what is mandatory doesn't fit
 */
export function assembleContext(
  items: readonly ContextItem[],
  budget: number,
  count: CountTokens,
): { readonly text: string; readonly manifest: ContextManifest } {
  const chosen = new Map<ContextItem, number>();
  const reasons = new Map<ContextItem, ContextReason>();
  for (const item of items) {
    if (item.mandatory) reasons.set(item, 'mandatory');
    else if (item.dropped) reasons.set(item, item.dropped);
  }
  for (const item of items) if (item.mandatory) chosen.set(item, count(item.text));
  const needed = count(render(items, chosen));
  if (needed > budget) throw overBudget(budget, needed);

  let left = budget - needed;
  for (const { section, share } of fillOrder) {
    const candidates = items.filter((item) => item.section === section && !reasons.has(item));
    if (section === 'turns') candidates.reverse();
    let ofSection = Math.min(left, Math.floor(budget * share));
    const capped = ofSection < left;
    let full = false;
    for (const item of candidates) {
      if (full && section === 'turns') {
        reasons.set(item, 'older');
        continue;
      }
      const heading = hasHeading(items, chosen, section) ? 0 : count(headings[section]) + joint;
      const tokens = count(item.text);
      const cost = tokens + joint + heading;
      full = cost > ofSection;
      reasons.set(item, !full ? 'fits' : capped ? 'section_cap' : 'budget');
      if (full) continue;
      chosen.set(item, tokens);
      ofSection -= cost;
      left -= cost;
    }
  }

  // Tokens of parts need not add up to those of the whole, so the whole has the last word.
  const removable = [...chosen.keys()].filter((item) => !item.mandatory);
  let text = render(items, chosen);
  let tokens = count(text);
  while (tokens > budget) {
    const last = removable.pop();
    if (!last) throw overBudget(budget, tokens);
    chosen.delete(last);
    reasons.set(last, 'budget');
    text = render(items, chosen);
    tokens = count(text);
  }
  return { text, manifest: { budget, tokens, items: items.map((item) => entryOf(item, chosen, reasons)) } };
}

function hasHeading(
  items: readonly ContextItem[],
  chosen: ReadonlyMap<ContextItem, number>,
  section: ContextSection,
): boolean {
  return items.some((item) => item.section === section && chosen.has(item));
}

function render(items: readonly ContextItem[], chosen: ReadonlyMap<ContextItem, number>): string {
  const sections = contextSections.map((section) => {
    const texts = items.filter((item) => item.section === section && chosen.has(item));
    return texts.length === 0 ? [] : [`# ${headings[section]}`, ...texts.map(({ text }) => text), ''];
  });
  return [howToReadData, '', ...sections.flat()].join('\n');
}

function entryOf(
  item: ContextItem,
  chosen: ReadonlyMap<ContextItem, number>,
  reasons: ReadonlyMap<ContextItem, ContextReason>,
): ManifestItem {
  return {
    id: item.id,
    section: item.section,
    included: chosen.has(item),
    reason: reasons.get(item) ?? 'budget',
    tokens: chosen.get(item) ?? 0,
    source: item.source ?? null,
    score: item.score ?? null,
  };
}

function overBudget(budget: number, needed: number): CountersignError {
  return new CountersignError(
    'context_over_budget',
    `what can't be left out takes ${needed} tokens, the budget is ${budget}; raise it to ${needed} at least`,
    { budget, needed },
  );
}
