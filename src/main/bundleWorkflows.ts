import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { encryptedWorkflowBundle, packageRoot, workflowBundle } from './version';

/** Builds the workflow bundles that workers load; from the TypeScript source, which makes them smaller. */
export async function bundleWorkflows(): Promise<string[]> {
  return Promise.all([
    bundle(workflowBundle, {}),
    bundle(encryptedWorkflowBundle, {
      failureConverterPath: join(packageRoot, 'workflows', 'failureConverter.ts'),
    }),
  ]);
}

async function bundle(path: string, options: { failureConverterPath?: string }): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(packageRoot, 'workflows', 'index.ts'),
    payloadConverterPath: join(packageRoot, 'workflows', 'payloadConverter.ts'),
    logger: new DefaultLogger('WARN'),
    ...options,
  });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code);
  return path;
}

if (require.main === module) {
  bundleWorkflows().then(
    (paths) => console.log(`workflow bundles: ${paths.join(', ')}`),
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
}
