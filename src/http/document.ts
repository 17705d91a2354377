import type { Api } from './context';
import { problemSchema, refusalResponse, refusals, type RefusalStatus } from './refusals';
import { scopesFor } from './scopes';
import { problems } from './schemas';

const description = `Refunds that run durably, with human approval. Amounts are decimal strings in major units.
Errors are application/problem+json with a stable code; they are refused in the order 401, 404, 422, 403, 409.
A key that calls more often than this installation allows gets 429 before anything is looked at: wait as long as
Retry-After says, then send the same call with the same Idempotency-Key. A live stream counts as one call.`;

/** What there is at the addresses under `/v1`, by their first word; the rest is about this process. */
const areas: Readonly<Record<string, string>> = {
  admin: 'People, groups, keys, channels, retention and legal holds of the tenant',
  approvals: 'What waits for people, and their decisions',
  audit: 'The log of everything that happened, its anchors and its keys',
  batches: 'Thousands of refunds as one run',
  brake: 'The kill switch',
  erasures: 'Erasing what is held about a person',
  knowledge: 'Documents, and passages of them',
  memories: 'What is remembered, through the gate and out of it again',
  payments: 'The money of one payment, movement by movement',
  policies: 'Who may do what, and how many it takes',
  process: 'Whether this process is well',
  reconciliations: 'Our books against those of the provider',
  refunds: 'Refunds and what became of them',
  runs: 'Agents that work towards a goal, step by step',
  self: 'Whoever calls',
  threads: 'Conversations, and what a model sees of them',
  webhooks: 'Events of the provider',
};

const statuses = Object.keys(refusals).map(Number) as RefusalStatus[];

/** Once for an API: what its routes refer to by name. */
export function registerComponents({ openAPIRegistry: registry }: Api): void {
  registry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  registry.register('Problem', problemSchema);
  for (const status of statuses) {
    registry.registerComponent('responses', refusals[status].name, refusalResponse(refusals[status]));
  }
}

/**
 * The OpenAPI document. Routes say what is their own; what holds for every call is added here: its tag, that it needs
 * no token where it needs none, and the refusals that it shares with all others.
 */
export function openApiDocument(api: Api, version: string) {
  const document = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version,
      description,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(areas).map(([name, description]) => ({ name, description })),
  });
  for (const [path, item = {}] of Object.entries(document.paths ?? {})) {
    for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
      const operation = item[method];
      if (!operation) continue;
      operation.tags = [/^\/v1\/([a-z]+)/.exec(path)?.[1] ?? 'process'];
      operation.security ??= [];
      operation.responses = { ...operation.responses, ...problems(...shared(method, path, operation)) };
    }
  }
  return document;
}

/** The refusals that belong to no use case. */
function shared(
  method: string,
  path: string,
  { security = [], requestBody }: { security?: unknown[]; requestBody?: unknown },
): RefusalStatus[] {
  if (!path.startsWith('/v1/')) return [];
  const guarded = security.length > 0;
  const scoped = guarded && scopesFor(method.toUpperCase(), path)?.length !== 0;
  return [
    ...(guarded ? ([401, 429] as const) : []),
    ...(scoped ? ([403] as const) : []),
    ...(requestBody === undefined ? [] : ([400, 413] as const)),
    ...(requestBody === undefined || !guarded ? [] : ([415] as const)),
    500,
    503,
  ];
}
