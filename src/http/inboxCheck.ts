import { createRoute, z } from '@hono/zod-openapi';
import { checkInbox, type CheckPosition } from '../application/checkInbox';
import { inboxDifferenceKinds } from '../application/inboxDifference';
import { externalId } from '../domain/refund/request';
import { readBody, type Api, type HttpDependencies } from './context';
import { decodePosition, encodeCursor, instant } from './cursor';
import { answers, problems } from './schemas';

export const inboxCheckBody = z.strictObject({
  repair: z.boolean().default(false),
  cursor: z.string().max(2_000).optional(),
  limit: z.number().int().min(1).max(24).default(24),
});

export const checkedPageSchema = z
  .object({
    checked: z.number().int().openapi({ description: 'Approvals compared on this page' }),
    differences: z.array(
      z.object({
        kind: z.enum(inboxDifferenceKinds).openapi({
          description:
            'differs: the row is not what the workflow has; missing_row: it waits and is not shown; row_without_run: shown open, and the run is over; unanswered: no worker says what the run has',
        }),
        runId: z.string(),
        approvalId: z.string().nullable(),
        fields: z.array(z.string()).openapi({ description: 'Which parts of the approval differ' }),
        explanation: z.string(),
        repaired: z.boolean(),
      }),
    ),
    nextCursor: z.string().nullable().openapi({ description: 'The whole is checked when it is null' }),
  })
  .openapi('InboxCheck');

const route = createRoute({
  method: 'post',
  path: '/v1/approvals/check',
  operationId: 'checkInbox',
  summary: 'Compare a page of the inbox with what the workflows have, and repair it; administrators only',
  security: [{ bearer: [] }],
  request: { body: { required: true, content: { 'application/json': { schema: inboxCheckBody } } } },
  responses: {
    ...answers(200, 'What differs', checkedPageSchema),
    ...problems(422),
  },
});

const position = z.union([
  z.tuple([z.literal('rows'), instant, externalId]),
  z.tuple([z.literal('runs'), z.string()]),
  z.tuple([z.literal('runs')]),
]);

/** `/v1/approvals/check`: that the inbox is what the workflows have. */
export function inboxCheckRoutes(api: Api, dependencies: HttpDependencies): void {
  api.openAPIRegistry.registerPath(route);

  api.post('/v1/approvals/check', async (c) => {
    const { repair, cursor, limit } = await readBody(c, inboxCheckBody);
    const from = positionOf(cursor);
    const page = await checkInbox(dependencies, c.get('principal'), { repair, from, limit });
    const { checked, differences, next } = page;
    return c.json({ checked, differences, nextCursor: encodeCursor(next && membersOf(next)) });
  });
}

function positionOf(cursor: string | undefined): CheckPosition {
  if (cursor === undefined) return { over: 'rows' };
  const [over, value, id] = decodePosition(position, cursor);
  if (over === 'rows') return { over, after: { value, id } };
  return value === undefined ? { over } : { over, after: value };
}

function membersOf({ over, after }: CheckPosition): Readonly<Record<string, string>> {
  if (after === undefined) return { over };
  return typeof after === 'string' ? { over, after } : { over, ...after };
}
