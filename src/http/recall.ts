import { createRoute, z } from '@hono/zod-openapi';
import { searchMemories } from '../application/recall';
import { recallWeights } from '../domain/memory/recall';
import { freeText } from '../domain/refund/request';
import type { Recalled } from '../ports/recall';
import { parseInput, type Api, type HttpDependencies } from './context';
import { memorySchema, memoryView } from './memoryViews';
import { answers, problems, time } from './schemas';

const searchQuery = z.object({
  q: freeText.min(1).max(1000),
  owner: z.string().max(128).optional(),
  as_of: z.iso.datetime({ offset: true }).optional().openapi({ description: 'What was believed then' }),
  explain: z.enum(['true', 'false']).default('false'),
  limit: z.coerce.number().int().min(1).max(50).default(10),
});

const part = z.number().openapi({ description: '0 to 1' });
const whySchema = z
  .object({
    parts: z.object({ ids: part, words: part, recency: part, confidence: part, source: part }),
    terms: z
      .array(z.object({ word: z.string(), weight: z.number() }))
      .openapi({ description: 'Words of the question that it has; a rare one weighs more' }),
    ids: z.array(z.string()).openapi({ description: 'Ids of the question that it names exactly' }),
  })
  .openapi('RecallReasons');

const answerSchema = z
  .object({
    items: z
      .array(z.object({ memory: memorySchema, score: z.number(), why: whySchema.optional() }))
      .describe('Best first'),
    explanation: z
      .object({
        weights: z.object({ ids: part, words: part, recency: part, confidence: part, source: part }),
        leftOut: z
          .array(z.object({ id: z.string(), key: z.string(), score: z.number(), why: whySchema }))
          .openapi({ description: 'The next ones by rank, which the limit left out' }),
        unknownWords: z
          .array(z.string())
          .openapi({ description: 'Words of the question that no memory of this owner has' }),
      })
      .optional()
      .openapi({ description: 'With explain=true' }),
    asOf: z.union([time, z.null()]).describe('The time that was asked about; null is now'),
  })
  .openapi('RecallAnswer');

const route = createRoute({
  method: 'get',
  path: '/v1/memories/search',
  operationId: 'searchMemories',
  summary: 'Memories of one owner that have words or ids of the question, best first, with why on demand',
  security: [{ bearer: [] }],
  request: { query: searchQuery },
  responses: { ...answers(200, 'What was found', answerSchema), ...problems(422) },
});

export function recallRoutes(api: Api, { recall }: HttpDependencies): void {
  api.openAPIRegistry.registerPath(route);

  api.get('/v1/memories/search', async (c) => {
    const { q, owner, as_of: asOf, explain, limit } = parseInput(searchQuery, c.req.query());
    const question = { text: q, limit, ...(asOf === undefined ? {} : { at: Date.parse(asOf) }) };
    const found = await searchMemories(recall, c.get('principal'), question, owner);
    const explained = explain === 'true';
    return c.json({
      items: found.items.map((one) => ({
        memory: memoryView(one.memory),
        score: one.score,
        ...(explained ? { why: whyOf(one) } : {}),
      })),
      ...(explained
        ? {
            explanation: {
              weights: recallWeights,
              leftOut: found.leftOut.map((one) => ({
                id: one.id,
                key: one.memory.key,
                score: one.score,
                why: whyOf(one),
              })),
              unknownWords: [...found.unknownWords],
            },
          }
        : {}),
      asOf: asOf === undefined ? null : new Date(asOf).toISOString(),
    });
  });
}

function whyOf({ reasons: { parts, terms, ids } }: Recalled) {
  return { parts, terms: [...terms], ids: [...ids] };
}
