import { createRoute, z } from '@hono/zod-openapi';
import { checkPolicy, listPolicies, publishPolicy, showPolicy } from '../application/policies';
import type { PolicyReport } from '../application/policyReport';
import { policyCases } from '../domain/policy/cases';
import { describeTable } from '../domain/policy/describe';
import { policyDocument } from '../domain/policy/document';
import { freeText } from '../domain/refund/request';
import type { PublishedPolicy } from '../ports/policies';
import { parseInput, readBody, type Api, type HttpDependencies } from './context';
import { answers, pageOf, problems } from './schemas';

const bearer = [{ bearer: [] }];
const versionParameter = z.object({ version: z.string() });
export const policyListQuery = z.object({
  cursor: z
    .string()
    .regex(/^\d{1,9}$/, 'as nextCursor gave it')
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

// A schema that was made before the extension of zod was loaded has no `openapi`; the copy that `describe` makes has it.
const policyText = {
  cedar: freeText.min(1).max(32_768).describe('Who may do what, as Cedar text'),
  table: policyDocument.describe('How many, how much and by when').openapi('PolicyTable'),
  cases: policyCases.describe('Examples that are run before it is published').openapi('PolicyCases'),
};
export const checkBody = z.strictObject(policyText);
export const publishBody = z.strictObject({
  ...policyText,
  expectedVersion: freeText
    .min(1)
    .max(64)
    .describe('The version that it replaces: the one in force, as it was compared with'),
  version: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, points, hyphens')
    .optional()
    .describe('Its name; a number without one'),
  comment: freeText.max(2000).optional().describe('Why; it is kept for good'),
});

const summaryFields = {
  version: z.string(),
  number: z.number().int().describe('Counts the versions from 1'),
  publishedAt: z.iso.datetime(),
  publishedBy: z.string().nullable(),
  comment: z.string().nullable(),
};
export const summarySchema = z.object(summaryFields).openapi('PolicySummary');
export const policySchema = z
  .object({
    ...summaryFields,
    ...policyText,
    cedar: z.string(),
    inWords: z.array(z.string()).describe('The table in plain words'),
  })
  .openapi('Policy');

export const reportSchema = z
  .object({
    ok: z.boolean().describe('Whether it could be published'),
    problems: z.array(
      z.object({
        where: z.enum(['rules', 'table', 'cases']),
        rule: z.string().optional(),
        line: z.number().int().optional().describe('From 1'),
        message: z.string(),
      }),
    ),
    cases: z.array(
      z.object({
        case: z.string(),
        passed: z.boolean(),
        expected: z.string(),
        got: z.string(),
        detail: z.string().optional(),
      }),
    ),
    changes: z.array(z.string()).describe('What it would change, in plain words'),
    changedAnswers: z
      .array(z.object({ case: z.string(), before: z.string(), after: z.string() }))
      .describe('Examples of either version that come out otherwise'),
  })
  .openapi('PolicyReport');

const routes = {
  list: createRoute({
    method: 'get',
    path: '/v1/policies',
    operationId: 'listPolicies',
    summary: 'Published versions, newest first; the first one is in force',
    security: bearer,
    request: { query: policyListQuery },
    responses: { ...answers(200, 'A page', pageOf(summarySchema)), ...problems(422) },
  }),
  show: createRoute({
    method: 'get',
    path: '/v1/policies/{version}',
    operationId: 'showPolicy',
    summary: 'One version: its rules, its table, its example cases',
    security: bearer,
    request: { params: versionParameter },
    responses: { ...answers(200, 'The version', policySchema), ...problems(404) },
  }),
  check: createRoute({
    method: 'post',
    path: '/v1/policies/check',
    operationId: 'checkPolicy',
    summary: 'What is wrong with a policy and what it would change; nothing is published',
    security: bearer,
    request: { body: { required: true, content: { 'application/json': { schema: checkBody } } } },
    responses: { ...answers(200, 'The report', reportSchema), ...problems(422) },
  }),
  publish: createRoute({
    method: 'post',
    path: '/v1/policies',
    operationId: 'publishPolicy',
    summary: 'Publish a version in place of expectedVersion; administrators only',
    security: bearer,
    request: { body: { required: true, content: { 'application/json': { schema: publishBody } } } },
    responses: {
      ...answers(201, 'Published, and in force', policySchema),
      ...problems(409, 422),
    },
  }),
};

/** `/v1/policies` */
export function policyRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of Object.values(routes)) api.openAPIRegistry.registerPath(route);

  api.get('/v1/policies', async (c) => {
    const { cursor, limit } = parseInput(policyListQuery, c.req.query());
    const page = { limit, ...(cursor === undefined ? {} : { before: Number(cursor) }) };
    const { items, next } = await listPolicies(dependencies, c.get('principal'), page);
    return c.json({ items: items.map(summary), nextCursor: next === null ? null : String(next) });
  });

  api.get('/v1/policies/:version', async (c) =>
    c.json(view(await showPolicy(dependencies, c.get('principal'), c.req.param('version')))),
  );

  api.post('/v1/policies/check', async (c) => {
    const written = await readBody(c, checkBody);
    return c.json(reportView(await checkPolicy(dependencies, c.get('principal'), written)));
  });

  api.post('/v1/policies', async (c) => {
    const proposed = await readBody(c, publishBody);
    return c.json(view(await publishPolicy(dependencies, c.get('principal'), proposed)), 201);
  });
}

function summary({ version, number, publishedAt, publishedBy, comment }: PublishedPolicy) {
  return { version, number, publishedAt: new Date(publishedAt).toISOString(), publishedBy, comment };
}

function view(policy: PublishedPolicy) {
  const { cedar, document: table, cases } = policy;
  const inWords = [...describeTable(table)].map(([subject, words]) => `${subject}: ${words}`);
  return { ...summary(policy), cedar, table, cases, inWords };
}

function reportView({ valid: _ours, ...report }: PolicyReport) {
  return report;
}
