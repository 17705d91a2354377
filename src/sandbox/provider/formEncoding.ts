import { invalidRequest } from './stripeError';

export type FormValue = string | FormValue[] | { [key: string]: FormValue };
export type FormRecord = { [key: string]: FormValue };

const deepest = 4;

/**
 * Reads the form encoding that Stripe's API speaks: `metadata[order]=1`, `expand[]=charge`, `expand[0]=charge`.
 * Every value stays a string; what it must be is the schema's business.
 * @throws StripeError 400 where the brackets make no sense
 */
export function parseForm(encoded: string): FormRecord {
  const root = emptyRecord();
  for (const [name, value] of new URLSearchParams(encoded)) place(root, segmentsOf(name), value, name);
  return root;
}

function emptyRecord(): FormRecord {
  return Object.create(null) as FormRecord;
}

function segmentsOf(name: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  const [, first, rest] = match ?? [];
  if (first === undefined || rest === undefined)
    throw invalidRequest(`Invalid parameter name: ${name}`, { param: name });
  const segments = [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map((segment) => segment[1] ?? '')];
  if (segments.length > deepest)
    throw invalidRequest(`Parameter nested too deeply: ${name}`, { param: name });
  return segments;
}

function isList(segment: string | undefined): boolean {
  return segment !== undefined && /^\d*$/.test(segment);
}

function place(into: FormRecord, segments: string[], value: string, name: string): void {
  const [head = '', ...tail] = segments;
  const next = tail[0];
  if (next === undefined) {
    into[head] = value;
    return;
  }
  // Only top-level names hold lists here (`expand[]`); a number under metadata is a key like any other.
  if (tail.length === 1 && isList(next) && head !== 'metadata') {
    const list = into[head] ?? [];
    if (!Array.isArray(list)) throw invalidRequest(`Invalid array: ${name}`, { param: name });
    list.push(value);
    into[head] = list;
    return;
  }
  const inner = into[head] ?? emptyRecord();
  if (typeof inner === 'string' || Array.isArray(inner))
    throw invalidRequest(`Invalid hash: ${name}`, { param: name });
  into[head] = inner;
  place(inner, tail, value, name);
}
