export type FindingKind =
  | 'card_number'
  | 'card_security_code'
  | 'bank_account'
  | 'national_id'
  | 'secret'
  | 'health'
  | 'personal'
  | 'unscreened';

/**
 * Where something was found, never what: `start` and `end` are UTF-16 offsets into the text as it was given.
 * `unscreened` marks what lies past the length that is screened at all; treat it as the worst.
 */
export interface Finding {
  readonly kind: FindingKind;
  readonly start: number;
  readonly end: number;
}

/** Refused at every door and stored nowhere (R39). */
export const neverStored: ReadonlySet<FindingKind> = new Set([
  'card_number',
  'card_security_code',
  'bank_account',
  'national_id',
  'secret',
  'unscreened',
]);

/** Refused as a memory whoever asks for it (R43). */
export const neverRemembered: ReadonlySet<FindingKind> = new Set([...neverStored, 'health']);

/** `kind` values in order of severity: an overlap is reported as the first. */
export const severity: readonly FindingKind[] = [
  'unscreened',
  'card_number',
  'secret',
  'bank_account',
  'national_id',
  'card_security_code',
  'health',
  'personal',
];
