import { CountersignError } from '../errors';
import { foldText } from '../screening/fold';

/**
 * An identity as it is compared: however it is spelled (letter case, accents, full-width letters, invisible characters,
 * spaces around it), it is one identity. Undefined for what names nobody: letters of other scripts that only look
 * alike are refused rather than taken for somebody else.
 */
export function normalIdentity(text: string): string | undefined {
  const normal = foldText(text).text.trim().toLowerCase();
  return /^[!-~]{1,128}$/.test(normal) ? normal : undefined;
}

export function isSameIdentity(one: string | null | undefined, other: string | null | undefined): boolean {
  if (one === null || one === undefined || other === null || other === undefined) return false;
  return one === other || (normalIdentity(one) ?? one) === (normalIdentity(other) ?? other);
}

/** @throws CountersignError invalid_request that names `field`, never what was written */
export function parseIdentity(field: string, text: string): string {
  const normal = normalIdentity(text);
  if (normal !== undefined) return normal;
  const message = 'letters, digits and signs without spaces';
  throw new CountersignError('invalid_request', `${field}: ${message}`, {
    issues: [{ path: field, message }],
  });
}
