import { csvLine } from '../../domain/csvLine';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { AuditAnchor, AuditKey, AuditRow } from '../../client';
import { isArchive, unpackArchive } from '../run/archive';
import type { AuditSource } from './verifyAudit';

/** One line of an export: `{"kind": "key" | "anchor" | "row", …}`. */
export type AuditLine =
  | ({ readonly kind: 'key' } & AuditKey)
  | ({ readonly kind: 'anchor' } & AuditAnchor)
  | ({ readonly kind: 'row' } & AuditRow);

const key = z.strictObject({
  kind: z.literal('key'),
  kid: z.string(),
  kty: z.string(),
  crv: z.string(),
  x: z.string(),
});
const head = z.strictObject({ runId: z.string(), seq: z.int(), hash: z.string() });
const anchor = z.strictObject({
  kind: z.literal('anchor'),
  seq: z.int(),
  jws: z.string(),
  heads: z.array(head),
});
const text = z.string().nullable();
const row = z.strictObject({
  kind: z.literal('row'),
  tenant: z.string(),
  runId: z.string(),
  seq: z.int(),
  at: z.string(),
  epoch: z.string(),
  actor: z.string(),
  event: z.string(),
  step: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  reason: text,
  policyVersion: text,
  effectKey: text,
  providerId: text,
  prevHash: z.string(),
  hash: z.string(),
});
const line = z.discriminatedUnion('kind', [key, anchor, row]);

/**
 * An export of the whole log, or the archive of one run, which has the rows of that run alone.
 * @throws Error that names the line that is none of an export
 */
export function readAuditFile(path: string): AuditSource {
  const file = readFileSync(path);
  if (!isArchive(file)) return sourceOf(file.toString('utf8'), path);
  const { manifest, texts } = unpackArchive(file);
  return { ...sourceOf(texts.get('audit.jsonl') ?? '', path), onlyRun: manifest.runId };
}

function sourceOf(text: string, path: string): AuditSource {
  const source = { keys: [] as AuditKey[], anchors: [] as AuditAnchor[], rows: [] as AuditRow[] };
  for (const [index, content] of text.split('\n').entries()) {
    if (content === '') continue;
    const read = line.safeParse(parsed(content));
    if (!read.success) throw new Error(`${path}, line ${index + 1}: not a line of an audit export`);
    const { kind, ...fields } = read.data;
    if (kind === 'key') source.keys.push(fields as AuditKey);
    else if (kind === 'anchor') source.anchors.push(fields as AuditAnchor);
    else source.rows.push(fields as AuditRow);
  }
  return source;
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return undefined;
  }
}

const columns = [
  ...(['tenant', 'runId', 'seq', 'at', 'actor', 'event', 'step', 'before', 'after', 'reason'] as const),
  ...(['policyVersion', 'effectKey', 'providerId', 'prevHash', 'hash'] as const),
];

export const csvHeader = csvLine(columns);

export function csvRow(of: AuditRow): string {
  return csvLine(columns.map((name) => of[name]));
}
