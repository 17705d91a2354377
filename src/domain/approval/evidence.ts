import { CountersignError } from '../errors';

/** One thing that whoever asks has put forward, as every door shows it. `id` is what a decision names it by. */
export interface EvidenceItem {
  readonly id: string;
  readonly label: string;
  readonly url: string | null;
  readonly text: string | null;
}

/** The evidence among the facts of an approval, in the order in which it was given. */
export function evidenceOf(facts: Readonly<Record<string, unknown>>): EvidenceItem[] {
  const given = Array.isArray(facts['evidence']) ? (facts['evidence'] as unknown[]) : [];
  return given.map((item, i) => itemOf(`evidence-${i + 1}`, item));
}

function itemOf(id: string, item: unknown): EvidenceItem {
  const { label, url, text } = (typeof item === 'object' && item !== null ? item : { label: item }) as Record<
    string,
    unknown
  >;
  const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);
  return { id, label: textOrNull(label) ?? '', url: textOrNull(url), text: textOrNull(text) };
}

/** Nobody has seen what is not there. @throws CountersignError invalid_request */
export function checkEvidence(
  facts: Readonly<Record<string, unknown>>,
  seen: readonly string[] | undefined,
): void {
  const known = new Set(evidenceOf(facts).map(({ id }) => id));
  const unknown = (seen ?? []).filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  throw new CountersignError(
    'invalid_request',
    'evidenceSeen names evidence that this approval does not have',
    {
      issues: unknown.map((id) => ({ path: 'evidenceSeen', message: `there is no ${id}` })),
    },
  );
}
