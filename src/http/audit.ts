import { createRoute, z } from '@hono/zod-openapi';
import { anchorNow, auditKeys, exportChains, listAnchors, searchAudit } from '../application/audit';
import type { ChainedRow } from '../domain/audit/chain';
import { externalId } from '../domain/refund/request';
import type { AuditFilter, AuditPosition } from '../ports/auditLog';
import { parseInput, type Api, type HttpDependencies } from './context';
import { decodePosition, encodeCursor, instant, moment, pageQuery } from './cursor';
import { answers, json, pageOf, problems } from './schemas';

const bearer = [{ bearer: [] }];
const tag = externalId.optional();
const largestSeq = 2_147_483_647;

export const auditQuery = z.object({
  run: tag,
  actor: tag,
  event: tag,
  from: moment,
  to: moment,
  ...pageQuery,
});
const chainQuery = z.object({
  cursor: z.string().max(400).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(500),
});
const anchorQuery = z.object({
  after: z.coerce.number().int().min(0).max(largestSeq).default(0),
  limit: z.coerce.number().int().min(1).max(50).default(20),
});

const rowSchema = z
  .object({
    tenant: z.string(),
    runId: z.string(),
    seq: z.number().int(),
    at: z.iso.datetime(),
    epoch: z.string().openapi({ description: 'The same moment as it is hashed: seconds, six decimals' }),
    actor: z.string(),
    event: z.string(),
    step: z.string().describe('What wrote it; the same step twice writes one row'),
    before: json,
    after: json,
    reason: z.string().nullable(),
    policyVersion: z.string().nullable(),
    effectKey: z.string().nullable(),
    providerId: z.string().nullable(),
    prevHash: z.string(),
    hash: z.string(),
  })
  .openapi('AuditRow');

const anchorSchema = z
  .object({
    seq: z.number().int(),
    jws: z.string().describe('Compact'),
    heads: z.array(z.object({ runId: z.string(), seq: z.number().int(), hash: z.string() })),
  })
  .openapi('AuditAnchor', { description: 'Signed: the end of every chain that grew since the one before' });

const keysSchema = z
  .object({
    keys: z.array(z.object({ kid: z.string(), kty: z.string(), crv: z.string(), x: z.string() })),
  })
  .openapi('AuditKeys');

const readable = { security: bearer };
const refused = problems(422);
const routes = [
  createRoute({
    method: 'get',
    path: '/v1/audit',
    operationId: 'searchAudit',
    summary: 'The audit log, newest first; administrators and auditors',
    ...readable,
    request: { query: auditQuery },
    responses: { ...answers(200, 'A page', pageOf(rowSchema)), ...refused },
  }),
  createRoute({
    method: 'get',
    path: '/v1/audit/chains',
    operationId: 'exportAudit',
    summary: 'The whole log by run and number, as it is verified',
    ...readable,
    request: { query: chainQuery },
    responses: { ...answers(200, 'A page', pageOf(rowSchema)), ...refused },
  }),
  createRoute({
    method: 'get',
    path: '/v1/audit/anchors',
    operationId: 'listAuditAnchors',
    summary: 'Signed anchors, oldest first',
    ...readable,
    request: { query: anchorQuery },
    responses: { ...answers(200, 'A page', z.object({ items: z.array(anchorSchema) })), ...refused },
  }),
  createRoute({
    method: 'post',
    path: '/v1/audit/anchors',
    operationId: 'setAuditAnchor',
    summary: 'Set an anchor now',
    ...readable,
    responses: {
      ...answers(
        200,
        'Its number; null when nothing has grown',
        z.object({ seq: z.number().int().nullable() }),
      ),
    },
  }),
  createRoute({
    method: 'get',
    path: '/v1/audit/keys',
    operationId: 'auditKeys',
    summary: 'The public keys that anchors are signed by',
    ...readable,
    responses: { ...answers(200, 'Ed25519 public keys', keysSchema) },
  }),
];

const seq = z.coerce.number().int().min(0).max(largestSeq);
const timePosition = z.tuple([instant, externalId, seq]);
const chainPosition = z.tuple([externalId, seq]);

/** `/v1/audit`: reading the log, and what proves it. */
export function auditRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of routes) api.openAPIRegistry.registerPath(route);

  api.get('/v1/audit', async (c) => {
    const { filter, before, limit } = auditSearchOf(parseInput(auditQuery, c.req.query()));
    const { rows, next } = await searchAudit(dependencies, c.get('principal'), filter, before, limit);
    return c.json({ items: rows.map(auditRowView), nextCursor: auditCursor(next) });
  });

  api.get('/v1/audit/chains', async (c) => {
    const { cursor, limit } = parseInput(chainQuery, c.req.query());
    const position = cursor === undefined ? undefined : decodePosition(chainPosition, cursor);
    const after = position && { runId: position[0], seq: position[1] };
    const rows = await exportChains(dependencies, c.get('principal'), after, limit);
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return c.json({
      items: rows.map(auditRowView),
      nextCursor: encodeCursor(last && { runId: last.runId, seq: String(last.seq) }),
    });
  });

  api.get('/v1/audit/anchors', async (c) => {
    const { after, limit } = parseInput(anchorQuery, c.req.query());
    return c.json({ items: await listAnchors(dependencies, c.get('principal'), after, limit) });
  });

  api.post('/v1/audit/anchors', async (c) => {
    const anchor = await anchorNow(dependencies, c.get('principal'));
    return c.json({ seq: anchor?.seq ?? null });
  });

  api.get('/v1/audit/keys', async (c) => c.json({ keys: await auditKeys(dependencies, c.get('principal')) }));
}

export function auditSearchOf({ run, cursor, limit, ...rest }: z.infer<typeof auditQuery>) {
  const position = cursor === undefined ? undefined : decodePosition(timePosition, cursor);
  const before = position && { at: position[0], runId: position[1], seq: position[2] };
  const filter: AuditFilter = defined({ ...rest, runId: run });
  return { filter, before, limit };
}

export function auditCursor(next: AuditPosition | undefined): string | null {
  return encodeCursor(next && { at: next.at, runId: next.runId, seq: String(next.seq) });
}

export function auditRowView(row: ChainedRow) {
  return { ...row, at: new Date(Number(row.epoch) * 1000).toISOString() };
}

/** Without what was not asked for. */
function defined<Fields extends Record<string, string | undefined>>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
