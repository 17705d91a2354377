import { CountersignError } from '../domain/errors';
import type { FindingKind } from '../domain/screening/finding';
import { refusedKinds } from '../domain/screening/screen';

/**
 * Refuses text that must not be stored, naming the field and the kind, never the text (R39).
 * @throws CountersignError sensitive_text
 */
export function refuseSensitive(field: string, text: string | undefined): void {
  if (text === undefined) return;
  refuse(field, refusedKinds(text));
}

/** An id of digits may look like many things by chance; a card number or a credential in it is none. */
const neverAnId: ReadonlySet<FindingKind> = new Set(['card_number', 'secret']);

/**
 * Ids of other systems are stored, searched and shown, so they are screened like text (R39). Named by where they stand.
 * @throws CountersignError sensitive_text
 */
export function refuseSensitiveIds(ids: Readonly<Record<string, string | undefined>>): void {
  for (const [field, id] of Object.entries(ids)) {
    if (id !== undefined) refuse(field, refusedKinds(id, neverAnId));
  }
}

/** @throws CountersignError sensitive_text */
export function refuseSensitiveDecision(body: {
  readonly comment?: string | undefined;
  readonly decisionId?: string | undefined;
  readonly onBehalfOf?: string | undefined;
}): void {
  refuseSensitive('comment', body.comment);
  refuseSensitiveIds({ decisionId: body.decisionId, onBehalfOf: body.onBehalfOf });
}

function refuse(field: string, kinds: readonly FindingKind[]): void {
  if (kinds.length === 0) return;
  throw new CountersignError(
    'sensitive_text',
    `${field} holds ${kinds.join(' and ').replaceAll('_', ' ')}; leave it out`,
    { field, kinds },
  );
}
