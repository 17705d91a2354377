import { rmSync } from 'node:fs';
import type { SharedParts } from './globalSetup';

export default async function globalTeardown(): Promise<void> {
  const { countersignTestParts: parts } = globalThis as unknown as { countersignTestParts?: SharedParts };
  if (!parts) return;
  await parts.supervisor.stop();
  parts.folder.release();
  rmSync(parts.folder.path, { recursive: true, force: true });
}
