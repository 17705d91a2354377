import { z } from 'zod';
import type { MemoryCandidate } from '../../../domain/memory/candidate';
import type { MemoryStore } from '../../../ports/memory';
import type { Recall } from '../../../ports/recall';

/** Cut-offs at which recall is reported. */
export const cutOffs = [5, 10, 20] as const;

const turn = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  /** What a picture that was sent shows, as the data set has it. */
  blip_caption: z.string().optional(),
});
const sample = z.object({
  sample_id: z.string(),
  conversation: z.record(z.string(), z.unknown()),
  qa: z.array(z.object({ question: z.string(), evidence: z.array(z.string()), category: z.int() })),
});
export const locomoFile = z.array(sample);
type Sample = z.infer<typeof sample>;

/** Of the questions of one category, or all. */
export interface LocomoFigures {
  readonly questions: number;
  /** By cut-off: the share of a question's evidence among so many first memories, on average over the questions. */
  readonly recall: Readonly<Record<string, number>>;
}

export interface LocomoReport {
  readonly conversations: number;
  readonly turns: number;
  /** Turns that the memory gate refused, as it refuses whatever speaks of health, for example. */
  readonly refused: number;
  readonly all: LocomoFigures;
  readonly byCategory: Readonly<Record<string, LocomoFigures>>;
}

const tenant = 'acme';
const by = { tenant, id: 'service', kind: 'service' } as const;

/**
 * Stores every turn of every conversation as a memory of its own, through the gate and the store that everything else goes
 * through, asks every question that has evidence, and counts which of its evidence comes back.
 */
export async function measureLocomo(
  samples: readonly Sample[],
  { memory, recall }: { readonly memory: MemoryStore; readonly recall: Recall },
  say: (line: string) => void,
): Promise<LocomoReport> {
  const asked: { category: number; found: number[] }[] = [];
  let turns = 0;
  let refused = 0;
  for (const { sample_id: id, conversation, qa } of samples) {
    const owner = `locomo-${id}`;
    const told = turnsOf(conversation);
    for (const one of told) {
      const { allowed } = await memory.propose(candidateOf(owner, one), by);
      if (!allowed) refused += 1;
    }
    turns += told.length;
    const known = new Set(told.map(({ dia_id }) => dia_id));
    for (const { question, evidence, category } of qa) {
      const wanted = evidenceOf(evidence).filter((dialogue) => known.has(dialogue));
      if (wanted.length === 0) continue;
      const { items } = await recall.search({ tenant, owner }, { text: question, limit: cutOffs[2] });
      const keys = items.map((item) => item.memory.key);
      const share = (first: number) =>
        wanted.filter((dialogue) => keys.slice(0, first).includes(keyOf(dialogue))).length / wanted.length;
      asked.push({ category, found: cutOffs.map(share) });
    }
    say(`${id}: ${told.length} turns, ${qa.length} questions`);
  }
  const categories = [...new Set(asked.map(({ category }) => category))].sort((a, b) => a - b);
  return {
    conversations: samples.length,
    turns,
    refused,
    all: figuresOf(asked),
    byCategory: Object.fromEntries(
      categories.map((category) => [
        String(category),
        figuresOf(asked.filter((question) => question.category === category)),
      ]),
    ),
  };
}

function turnsOf(conversation: Sample['conversation']): z.infer<typeof turn>[] {
  return Object.entries(conversation).flatMap(([name, session]) =>
    /^session_\d+$/.test(name) ? z.array(turn).parse(session) : [],
  );
}

function candidateOf(
  ownerId: string,
  { speaker, dia_id, text, blip_caption: caption }: z.infer<typeof turn>,
): MemoryCandidate {
  const said = `${speaker}: ${text}${caption === undefined ? '' : ` [shows ${caption}]`}`;
  return {
    tenantId: tenant,
    ownerId,
    key: keyOf(dia_id),
    value: said.slice(0, 2000),
    kind: 'episodic',
    source: 'user_explicit',
    explicitUserRequest: true,
    confidence: 1,
    evidence: [],
  };
}

function keyOf(dialogue: string): string {
  return `turn/${dialogue}`;
}

/** The set names several at once here and there: "D8:6; D9:17". */
function evidenceOf(evidence: readonly string[]): string[] {
  return [...new Set(evidence.flatMap((named) => named.match(/D\d+:\d+/g) ?? []))];
}

function figuresOf(asked: readonly { readonly found: readonly number[] }[]): LocomoFigures {
  const mean = (at: number) => asked.reduce((sum, { found }) => sum + (found[at] ?? 0), 0) / asked.length;
  return {
    questions: asked.length,
    recall: Object.fromEntries(cutOffs.map((first, at) => [String(first), mean(at)])),
  };
}
