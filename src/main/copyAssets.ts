import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './version';

/** What the compiler leaves behind: scripts and styles of the pages, beside the code that serves them. */
const assets = ['src', 'web', 'assets'];

cpSync(join(packageRoot, ...assets), join(packageRoot, 'dist', ...assets), { recursive: true });
