import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot, workflowBundle } from '../version';
import { finding, Wrong, type Finding } from './finding';

/** What needs nobody else: Node and the built workflow code. */
export async function checkHere(): Promise<Finding[]> {
  return [
    await finding('node', 'install a newer Node.js', async () => {
      const { engines } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
        engines: { node: string };
      };
      const least = engines.node.replace(/^>=/, '');
      const { node } = process.versions;
      if (node.localeCompare(least, 'en', { numeric: true }) < 0)
        throw new Wrong(`Node.js ${node} is older than ${least}`, `install Node.js ${least} or newer`);
      return `Node.js ${node}`;
    }),
    await finding('workflows', 'npm run build', async () => {
      if (!existsSync(workflowBundle))
        throw new Wrong(`there is no workflow bundle at ${workflowBundle}`, 'npm run build');
      return 'the workflow bundle is built';
    }),
  ];
}
