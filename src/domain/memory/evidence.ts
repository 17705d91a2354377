import { z } from 'zod';

/** Where a candidate comes from: a turn of the conversation, a run, a tool's answer, a document, another memory. */
export const evidenceKinds = ['turn', 'run', 'tool', 'document', 'memory'] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

export const evidenceRef = z.string().regex(/^[!-~]{1,200}$/, '1 to 200 visible characters');

export const evidenceItem = z.strictObject({ kind: z.enum(evidenceKinds), ref: evidenceRef });
export type Evidence = z.infer<typeof evidenceItem>;

/**
 * A source by which memories are revoked names itself and what lies below it: `handbook` also `handbook#3`, and
 * `thread-1` also `thread-1/4`. @returns the ref with everything that it lies below, itself first
 */
export function lineage(ref: string): string[] {
  const above: string[] = [ref];
  for (let at = ref.length - 1; at > 0; at -= 1) {
    if (ref[at] === '#' || ref[at] === '/') above.push(ref.slice(0, at));
  }
  return above;
}

export function comesFrom(item: Evidence, source: Evidence): boolean {
  return item.kind === source.kind && lineage(item.ref).includes(source.ref);
}
