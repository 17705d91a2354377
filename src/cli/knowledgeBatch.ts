import { randomUUID } from 'node:crypto';
import type { Batch, Batches } from '../client';
import { watched } from './batch';
import { countsText } from './batchText';
import type { Source } from './knowledgeFiles';

/** Characters and documents of one batch: well below what the API takes as a body. */
const mostCharacters = 12_000_000;
const mostDocuments = 5_000;

export interface IngestedFiles {
  readonly batches: readonly Batch[];
  /** Bad files, which keep no other from being ingested. */
  readonly skipped: readonly { readonly file: string; readonly detail: string }[];
}

interface Part {
  readonly files: string[];
  readonly lines: string[];
}

/**
 * Many files as batches, one after the other: whatever dies on the way, the workers go on where they were. The same
 * files again change nothing.
 */
export async function ingestFiles(
  batches: Batches,
  sources: readonly Source[],
  json: boolean | undefined,
): Promise<IngestedFiles> {
  const done: Batch[] = [];
  const skipped: { file: string; detail: string }[] = [];
  for (const { files, lines } of partsOf(sources, skipped)) {
    const file = { type: 'application/x-ndjson', text: lines.join('\n') } as const;
    const how = { kind: 'documents', invalidRows: 'leave_out' } as const;
    const started = await batches.start(file, { idempotencyKey: `cli-${randomUUID()}`, ...how });
    done.push(await watched(batches, started, json));
    for await (const { row, detail } of batches.allItems(started.batchId, {
      outcome: 'left_out',
      limit: 200,
    }))
      skipped.push({ file: files[row - 1] ?? `row ${row}`, detail: detail ?? '' });
  }
  return { batches: done, skipped };
}

function* partsOf(sources: readonly Source[], skipped: { file: string; detail: string }[]): Generator<Part> {
  let part: Part = { files: [], lines: [] };
  let characters = 0;
  for (const { file, document, format, read } of sources) {
    let line: string;
    try {
      line = JSON.stringify({ document, format, text: read() });
    } catch (error) {
      skipped.push({ file, detail: error instanceof Error ? error.message : String(error) });
      continue;
    }
    if (
      part.lines.length === mostDocuments ||
      (characters > 0 && characters + line.length > mostCharacters)
    ) {
      yield part;
      part = { files: [], lines: [] };
      characters = 0;
    }
    part.files.push(file);
    part.lines.push(line);
    characters += line.length;
  }
  if (part.lines.length > 0) yield part;
}

export function ingestedFilesText({ batches, skipped }: IngestedFiles): string {
  const lines = batches.map((batch) => `${batch.batchId}  ${batch.state}: ${countsText(batch)}`);
  if (skipped.length > 0) lines.push('', `${skipped.length} files were skipped:`);
  lines.push(...skipped.map(({ file, detail }) => `  ${file}: ${detail}`));
  return `${lines.join('\n')}\n`;
}
