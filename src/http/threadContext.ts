import { createRoute, z } from '@hono/zod-openapi';
import { threadContext } from '../application/assembleContext';
import { openThread } from '../application/threads';
import { contextReasons, contextSections, type ContextReason } from '../domain/context/manifest';
import { parseInput, type Api, type HttpDependencies } from './context';
import { answers, orNull, problems } from './schemas';
import { threadOwner } from './threads';

const contextQuery = threadOwner.extend({
  budget: z.coerce
    .number()
    .int()
    .min(100)
    .max(200_000)
    .default(8_000)
    .openapi({ description: 'Tokens, labels and margin included' }),
  compaction: z.enum(['structured_summary', 'sliding_window']).default('structured_summary'),
  explain: z.enum(['true', 'false']).default('false'),
});

const reasons = Object.keys(contextReasons) as [ContextReason, ...ContextReason[]];

export const contextSchema = z
  .object({
    threadId: z.string(),
    version: z.number().int().openapi({ description: 'Of the thread, as it was read' }),
    text: z.string(),
    tokens: z.number().int(),
    budget: z.number().int(),
    counter: z.object({ name: z.string(), margin: z.number() }),
    summary: orNull(
      z.object({ upTo: z.number().int(), strategy: z.enum(['structured_summary', 'model_summary']) }),
    ),
    manifest: z
      .array(
        z.object({
          id: z.string(),
          section: z.enum(contextSections),
          included: z.boolean(),
          reason: z.enum(reasons),
          tokens: z.number().int().describe('With labels and margin'),
          source: z.string().nullable(),
          score: z.number().nullable(),
          why: z.string().optional().describe('In words, where that was asked for'),
        }),
      )
      .openapi({ description: 'Every item there was, in the text or not, and why' }),
  })
  .openapi('ThreadContext');

const route = createRoute({
  method: 'get',
  path: '/v1/threads/{id}/context',
  operationId: 'threadContext',
  summary: 'What a model sees of a thread within a budget of tokens, and what it does not see',
  security: [{ bearer: [] }],
  request: { params: z.object({ id: z.string() }), query: contextQuery },
  responses: { ...answers(200, 'The context', contextSchema), ...problems(404, 422) },
});

/** `/v1/threads/{id}/context` */
export function threadContextRoutes(api: Api, dependencies: HttpDependencies): void {
  api.openAPIRegistry.registerPath(route);

  api.get('/v1/threads/:id/context', async (c) => {
    const { owner } = parseInput(threadOwner, { owner: c.req.query('owner') });
    const thread = await openThread(dependencies, c.get('principal'), c.req.param('id'), owner);
    const { budget, compaction, explain } = parseInput(contextQuery, c.req.query());
    const wanted = { budget, compaction, explain: explain === 'true' };
    return c.json(await threadContext(dependencies, c.get('principal'), thread, wanted));
  });
}
