import { createHash } from 'node:crypto';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { z } from 'zod';

const format = 'countersign-run';
const manifestName = 'manifest.json';

/** What is unpacked of an archive at most, bytes: one that claims more is none of ours. */
const largestArchive = 512 * 1024 * 1024;

const manifestSchema = z.strictObject({
  format: z.literal(format),
  version: z.literal(1),
  tenant: z.string(),
  runId: z.string(),
  /** `decoded`: an administrator had them opened when it was written. */
  payloads: z.enum(['as_stored', 'decoded']),
  histories: z.array(z.strictObject({ file: z.string(), workflowId: z.string(), runId: z.string() })),
  files: z.array(z.strictObject({ name: z.string(), bytes: z.int(), sha256: z.string() })),
});
export type ArchiveManifest = z.infer<typeof manifestSchema>;

/** One run as a file: what it is, and the texts that it holds by name. */
export interface RunArchive {
  readonly manifest: ArchiveManifest;
  readonly texts: ReadonlyMap<string, string>;
}

/** Zip. The same content gives the same bytes, whenever and wherever it is written. */
export function packArchive(
  about: Omit<ArchiveManifest, 'format' | 'version' | 'files'>,
  texts: ReadonlyMap<string, string>,
): Uint8Array {
  const packed = [...texts].map(([name, text]) => [name, strToU8(text)] as const);
  const files = packed.map(([name, content]) => ({
    name,
    bytes: content.length,
    sha256: sha256(content),
  }));
  const manifest: ArchiveManifest = { format, version: 1, ...about, files };
  const all = [[manifestName, strToU8(`${JSON.stringify(manifest, null, 2)}\n`)] as const, ...packed];
  // The earliest moment that the format knows, in whatever time zone: it tells of none.
  return zipSync(Object.fromEntries(all), { mtime: new Date(1980, 0, 1), level: 6 });
}

export function isArchive(content: Uint8Array): boolean {
  return content[0] === 0x50 && content[1] === 0x4b;
}

/** @throws Error that says what is wrong with it: no archive of a run, or one that was changed since */
export function unpackArchive(content: Uint8Array): RunArchive {
  const files = unzipped(content);
  const manifest = manifestSchema.safeParse(parsed(files[manifestName]));
  if (!manifest.success) throw new Error('no archive of a run');
  const texts = new Map<string, string>();
  for (const { name, sha256: expected } of manifest.data.files) {
    const file = Object.hasOwn(files, name) ? files[name] : undefined;
    if (!file || sha256(file) !== expected)
      throw new Error(`${name} is not what was written into the archive`);
    texts.set(name, strFromU8(file));
  }
  return { manifest: manifest.data, texts };
}

function unzipped(content: Uint8Array): Record<string, Uint8Array> {
  let bytes = 0;
  try {
    return unzipSync(content, {
      filter: ({ originalSize }) => {
        bytes += originalSize;
        if (bytes > largestArchive) throw new RangeError(`more than ${largestArchive} bytes`);
        return true;
      },
    });
  } catch (cause) {
    throw new Error('it is damaged, or no archive', { cause });
  }
}

function parsed(content: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(strFromU8(content ?? new Uint8Array())) as unknown;
  } catch {
    return undefined;
  }
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
