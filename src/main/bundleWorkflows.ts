import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { packageRoot, workflowBundle } from './version';

/** Builds the workflow bundle that workers load; from the TypeScript source, which makes it smaller. */
export async function bundleWorkflows(): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(packageRoot, 'workflows', 'index.ts'),
    payloadConverterPath: join(packageRoot, 'workflows', 'payloadConverter.ts'),
    logger: new DefaultLogger('WARN'),
  });
  mkdirSync(dirname(workflowBundle), { recursive: true });
  writeFileSync(workflowBundle, code);
  return workflowBundle;
}

if (require.main === module) {
  bundleWorkflows().then(
    (path) => console.log(`workflow bundle: ${path}`),
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
}
