import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a folder with a policy holds, as it is written. */
export interface PolicyFolder {
  readonly cedar: string;
  readonly table: unknown;
  readonly cases: unknown;
}

export const policyFileNames = { cedar: 'policy.cedar', table: 'table.json', cases: 'cases.json' } as const;

/** @throws Error that names the file which is missing or is no JSON */
export function readPolicyFolder(folder: string): PolicyFolder {
  const read = (name: string): string => {
    try {
      return readFileSync(join(folder, name), 'utf8');
    } catch {
      const names = Object.values(policyFileNames).join(', ');
      throw new Error(`${join(folder, name)} can't be read; a policy is a folder with ${names}`);
    }
  };
  const json = (name: string): unknown => {
    const text = read(name);
    try {
      return JSON.parse(text) as unknown;
    } catch (error) {
      throw new Error(`${join(folder, name)} is not JSON: ${error instanceof Error ? error.message : ''}`, {
        cause: error,
      });
    }
  };
  return {
    cedar: read(policyFileNames.cedar),
    table: json(policyFileNames.table),
    cases: json(policyFileNames.cases),
  };
}
