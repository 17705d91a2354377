import { findBankAccounts } from './bankAccounts';
import { findCards } from './cards';
import { neverStored, severity, type Finding, type FindingKind } from './finding';
import { foldText } from './fold';
import { findHealth } from './health';
import { coverIds } from './ids';
import { findNationalIds } from './nationalIds';
import { findPersonal } from './personal';
import { findSecrets, findSecurityCodes } from './secrets';
import type { Span } from './span';

/** UTF-16 units that are screened; every door refuses far shorter texts. What lies beyond is `unscreened`. */
export const longestScreened = 4_000_000;

/**
 * What a free text holds that must not be stored, or only with care: by place, in order, without overlaps. The
 * time is linear in the text's length, whatever it says (R54). Never throws.
 */
export function screenText(text: string): Finding[] {
  const folded = foldText(text.slice(0, longestScreened));
  const covered = coverIds(folded.text);
  const found: Finding[] = [];
  const add = (kind: FindingKind, spans: readonly Span[]): void => {
    for (const span of spans) found.push({ kind, ...folded.origin(span.start, span.end) });
  };
  add('card_number', findCards(covered));
  add('bank_account', findBankAccounts(covered));
  add('national_id', findNationalIds(covered));
  add('personal', findPersonal(covered));
  add('card_security_code', findSecurityCodes(folded.text));
  add('secret', findSecrets(folded.text));
  add('health', findHealth(covered));
  if (text.length > longestScreened)
    found.push({ kind: 'unscreened', start: longestScreened, end: text.length });
  return merged(found);
}

/** The kinds in `text` that no door lets in (R39); empty when the text may pass. */
export function refusedKinds(text: string, refused: ReadonlySet<FindingKind> = neverStored): FindingKind[] {
  const kinds = new Set(screenText(text).map(({ kind }) => kind));
  return severity.filter((kind) => kinds.has(kind) && refused.has(kind));
}

/** For logs and error messages: every finding becomes `[redacted:<kind>]`, the rest stays as it is. */
export function redact(text: string): string {
  let result = '';
  let from = 0;
  for (const { kind, start, end } of screenText(text)) {
    result += `${text.slice(from, start)}[redacted:${kind}]`;
    from = end;
  }
  return result + text.slice(from);
}

/** One finding for each stretch of text; where kinds overlap, the worst speaks for all. */
function merged(found: readonly Finding[]): Finding[] {
  const ordered = [...found].sort((a, b) => a.start - b.start || b.end - a.end);
  const result: Finding[] = [];
  for (const finding of ordered) {
    const last = result.at(-1);
    if (last === undefined || finding.start >= last.end) {
      result.push(finding);
      continue;
    }
    const worse = severity.indexOf(finding.kind) < severity.indexOf(last.kind) ? finding.kind : last.kind;
    result[result.length - 1] = { kind: worse, start: last.start, end: Math.max(last.end, finding.end) };
  }
  return result;
}
