import { existsSync, readFileSync } from 'node:fs';
import { writeStateFile } from '../../sandbox/embedded/stateFile';

/** A secret that is made once and kept in a file that only its owner reads. */
export async function keptSecret(path: string, make: () => Promise<string>): Promise<string> {
  if (existsSync(path)) return JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
  const secret = await make();
  writeStateFile(path, JSON.parse(secret));
  return secret;
}
