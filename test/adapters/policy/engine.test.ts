import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../../src/main/version';

/** Calls Cedar often enough to be optimized, then changes, in the middle of one call, what the optimized code relies on. */
const program = (engine: string) => `
  const cedar = require(${JSON.stringify(engine)});
  const state = { constant: 1 };
  let call = 0;
  const policies = {
    get staticPolicies() {
      if (call === 50_000) state.constant = Math.random();
      return 'permit (principal, action, resource);';
    },
  };
  const hot = () => cedar.checkParsePolicySet(policies).type.length + state.constant;
  for (; call < 50_100; call += 1) hot();
  console.log('alive');
`;
const run = (engine: string) =>
  spawnSync(process.execPath, ['-e', program(engine)], { cwd: packageRoot, encoding: 'utf8' });

describe('the engine of policies', () => {
  test('R32: does not take the process down when optimized code around it is discarded', () => {
    const { stdout, status } = run(join(packageRoot, 'dist', 'src', 'adapters', 'policy', 'engine.js'));
    expect([stdout, status]).toEqual(['alive\n', 0]);
    // Control: as it comes, it does on Node 20, so this test would notice.
    if (process.versions.node.startsWith('20.'))
      expect(run('@cedar-policy/cedar-wasm/nodejs').stderr).toContain('unreachable code');
  });
});
