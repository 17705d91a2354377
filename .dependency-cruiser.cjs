/** Dependencies point one way; test/architecture.test.ts runs this same file. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { pathNot: [...allowed, from, '^node_modules'], path: '^(src|workflows|activities|test)/' },
});

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    only('domain-is-pure', '^src/domain/', [], 'Pure rules: they know nobody.'),
    only(
      'ports-know-domain',
      '^src/ports/',
      ['^src/domain/'],
      'Ports say what the domain needs of the world.',
    ),
    only(
      'workflows-know-domain',
      '^workflows/',
      ['^src/domain/', '^activities/'],
      'Deterministic code; activities by type only.',
    ),
    {
      name: 'workflows-take-activity-types-only',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^activities/', dependencyTypesNot: ['type-only'] },
    },
    only(
      'activities-over-ports',
      '^activities/',
      ['^src/domain/', '^src/ports/'],
      'One side effect per file, over ports.',
    ),
    only(
      'adapters-implement-ports',
      '^src/adapters/',
      ['^src/domain/', '^src/ports/'],
      'Adapters know ports and the domain.',
    ),
    only(
      'use-cases-over-ports',
      '^src/application/',
      ['^src/domain/', '^src/ports/'],
      'Doors share use cases; use cases know ports.',
    ),
    only(
      'http-door',
      '^src/http/',
      ['^src/domain/', '^src/ports/', '^src/application/'],
      'Doors call use cases only.',
    ),
    only(
      'web-door',
      '^src/web/',
      ['^src/domain/', '^src/ports/', '^src/application/', '^src/http/'],
      'Doors call use cases only.',
    ),
    only('client-stands-alone', '^src/client/', ['^src/domain/'], 'What a service imports.'),
    only('mcp-door', '^src/mcp/', ['^src/domain/', '^src/client/'], 'Agents are clients of the API too.'),
    only(
      'cli-door',
      '^src/cli/',
      ['^src/domain/', '^src/client/', '^src/mcp/', '^src/main/', '^src/sandbox/'],
      'The CLI is a client of the API.',
    ),
    {
      name: 'domain-without-node',
      severity: 'error',
      from: { path: '^(src/domain|workflows)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'one-file-reads-the-environment-and-wires',
      severity: 'error',
      comment: 'Only src/main wires adapters to doors.',
      from: { pathNot: '^src/(main|adapters)/' },
      to: { path: '^src/adapters/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.json'] },
  },
};
