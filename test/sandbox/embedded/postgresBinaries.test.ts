import { cpSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../../src/sandbox/embedded/commandRun';
import { installedPostgresPackage, postgresBinaries } from '../../../src/sandbox/embedded/postgresBinaries';
import { postgresUser } from '../../../src/sandbox/embedded/postgresUser';
import { scratchFolder } from './scratch';

describe('the PostgreSQL binaries', () => {
  it('run where install scripts were not allowed, and where only the one who installed them may look', async () => {
    // A package without the links that its install script makes, in a folder closed to others.
    const closed = scratchFolder();
    const packageRoot = join(closed.path, 'package');
    cpSync(installedPostgresPackage(), packageRoot, {
      recursive: true,
      filter: (path) => !lstatSync(path).isSymbolicLink(),
    });
    const copyFolder = join(tmpdir(), `countersign-binaries-${process.pid}`);
    const env = process.env;
    try {
      const user = await postgresUser(join(closed.path, 'none-yet'), env);
      const binaries = await postgresBinaries({ user, copyFolder, env, packageRoot });
      const run = { env: {}, timeoutMs: 30_000, runAs: user ?? undefined };
      const shown = await runCommand(binaries.postgres, ['--describe-config'], run);
      expect(shown).toMatchObject({ ok: true, output: expect.stringContaining('max_connections') });
      // Root runs them as another user, who can only reach a copy.
      if (user === null) expect(binaries.postgres).toContain(packageRoot);
      else expect(readdirSync(copyFolder)).toHaveLength(1);
    } finally {
      closed.remove();
      rmSync(copyFolder, { recursive: true, force: true });
    }
  });
});
