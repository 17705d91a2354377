import { InvalidArgumentError } from 'commander';
import type { Evidence, EvidenceKind } from '../client';
import { UsageError } from './failure';

/** `document:handbook#3`. @throws UsageError */
export function evidenceOf(text: string): Evidence {
  const [, kind, ref] = /^([a-z]+):(.+)$/.exec(text) ?? [];
  if (kind === undefined || ref === undefined)
    throw new UsageError(`${text}: kind and ref are wanted, such as document:handbook or turn:thread-1/4`);
  return { kind: kind as EvidenceKind, ref };
}

export function version(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('a whole number is wanted');
  return Number(value);
}
