import { CountersignError } from '../domain/errors';
import { refusedKinds } from '../domain/screening/screen';

/**
 * Refuses text that must not be stored, naming the field and the kind, never the text (R39).
 * @throws CountersignError sensitive_text
 */
export function refuseSensitive(field: string, text: string | undefined): void {
  if (text === undefined) return;
  const kinds = refusedKinds(text);
  if (kinds.length === 0) return;
  throw new CountersignError(
    'sensitive_text',
    `${field} holds ${kinds.join(' and ').replaceAll('_', ' ')}; leave it out`,
    {
      field,
      kinds,
    },
  );
}
