import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder with package.json, whether this file runs as TypeScript or from dist/. */
export const packageRoot = __dirname.replace(/([\\/]dist)?[\\/]src[\\/]main$/, '');

const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
export const version = manifest.version;

export const cliEntry = join(packageRoot, 'bin', 'countersign.js');
export const workflowBundle = join(packageRoot, 'dist', 'workflow-bundle.js');
/** The same workflows for encrypted histories: failures that they write are encoded too. */
export const encryptedWorkflowBundle = join(packageRoot, 'dist', 'workflow-bundle-encrypted.js');
