export const contextSections = [
  'policy',
  'task',
  'approvals',
  'facts',
  'pinned',
  'memory',
  'knowledge',
  'summary',
  'turns',
] as const;
export type ContextSection = (typeof contextSections)[number];

/** Why an item is in a context, or is not. */
export const contextReasons = {
  mandatory: 'No context does without it.',
  fits: 'It was next in its section, and fits.',
  section_cap: 'Its section has its share of the budget already.',
  budget: 'The budget is used up.',
  duplicate: 'It stands in another section already.',
  older: 'A newer turn did not fit, and turns are shown without holes.',
  summarized: 'The summary stands for it; the log has it.',
} as const;
export type ContextReason = keyof typeof contextReasons;

export interface ManifestItem {
  readonly id: string;
  readonly section: ContextSection;
  readonly included: boolean;
  readonly reason: ContextReason;
  /** With its labels, margin included; 0 for what was not counted. */
  readonly tokens: number;
  /** Where it comes from, and how well it answered the search that found it. */
  readonly source: string | null;
  readonly score: number | null;
}

/** Every item there was, included or dropped, and why (R50). */
export interface ContextManifest {
  /** Tokens. */
  readonly budget: number;
  /** Of the whole text, margin included. */
  readonly tokens: number;
  readonly items: readonly ManifestItem[];
}
