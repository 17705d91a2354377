import { createRoute, z } from '@hono/zod-openapi';
import { decideMany, type TogetherOutcome } from '../application/decideMany';
import { manyDecisionsBody } from '../domain/approval/manyDecisions';
import { approvalSchema, recordedSchema } from './approvalSchemas';
import { readBody, type Api, type HttpDependencies } from './context';
import { problemOf } from './problem';
import { problemSchema } from './refusals';
import { answers, problems } from './schemas';
import { requireScope } from './scopes';

const approvalId = z.string();

const outcomeSchema = z
  .union([
    z.object({ approvalId, status: z.literal('applied'), approval: approvalSchema }),
    z.object({ approvalId, ...recordedSchema.shape }),
    z.object({ approvalId, status: z.literal('refused'), problem: problemSchema }),
  ])
  .openapi('TogetherOutcome', {
    description:
      'applied: the new state. recorded: on record; applied as soon as a worker is up. refused: why, as the call for it alone says; of a problem of 500 or 503 it is not known what came of it: send the same again',
  });

const route = createRoute({
  method: 'post',
  path: '/v1/approvals/decisions',
  operationId: 'decideMany',
  summary:
    'Approve or reject many approvals, each by itself: exactly the revision that its proposalHash names',
  security: [{ bearer: [] }],
  request: {
    body: {
      required: true,
      content: {
        'application/json': {
          schema: manyDecisionsBody,
          example: {
            decision: 'approve',
            comment: 'The recall of lot 7.',
            items: [
              {
                approvalId: 'apr_7f3a',
                proposalHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
              },
            ],
          },
        },
      },
    },
  },
  responses: {
    ...answers(
      200,
      'What came of each, in the order asked',
      z.object({ items: z.array(outcomeSchema) }).openapi('ManyDecided'),
    ),
    ...problems(422),
  },
});

/** `/v1/approvals/decisions`: one decision about many. */
export function manyDecisionRoutes(api: Api, dependencies: HttpDependencies): void {
  api.openAPIRegistry.registerPath(route);

  api.post('/v1/approvals/decisions', async (c) => {
    const body = await readBody(c, manyDecisionsBody);
    requireScope(c, ['approvals:decide']);
    const requestId = c.get('requestId');
    const outcomes = await decideMany(dependencies, c.get('principal'), body, 'api', (error) =>
      dependencies.onUnexpected(error, requestId),
    );
    return c.json({ items: outcomes.map((outcome) => shown(outcome, requestId)) });
  });
}

function shown(outcome: TogetherOutcome, requestId: string) {
  if (outcome.status !== 'refused') return outcome;
  const { approvalId: id, status, error } = outcome;
  return { approvalId: id, status, problem: problemOf(error, requestId) };
}
