import { z } from '@hono/zod-openapi';
import { CountersignError, errorCatalogue, type ErrorCode } from '../domain/errors';
import { problemOf } from './problem';

const codes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]];

export const errorCode = z.enum(codes).openapi('ErrorCode', { description: 'Stable; the same everywhere' });

export const problemSchema = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    code: errorCode,
    detail: z.string().describe('What is wrong, and what to do'),
    requestId: z.string(),
    issues: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('Field by field'),
  })
  .openapi('Problem');

interface Refusal {
  /** Of its response among the document's components. */
  readonly name: string;
  readonly description: string;
  readonly example: ErrorCode;
  readonly header?: readonly [name: string, description: string];
}

/** What each failing status means, over all operations. */
export const refusals = {
  400: {
    name: 'Unreadable',
    description: 'Not readable, or without Idempotency-Key',
    example: 'malformed_json',
  },
  401: {
    name: 'Unauthenticated',
    description: 'No valid token',
    example: 'unauthenticated',
    header: ['WWW-Authenticate', 'Which kind of credential is asked for'],
  },
  403: { name: 'Forbidden', description: 'Not allowed', example: 'forbidden' },
  404: { name: 'NotFound', description: "Unknown, or another tenant's", example: 'not_found' },
  409: {
    name: 'Conflict',
    description: 'In conflict with what has happened already',
    example: 'version_conflict',
  },
  410: {
    name: 'Gone',
    description: 'What is cited has changed since',
    example: 'passage_superseded',
  },
  413: { name: 'TooLarge', description: 'Too large', example: 'body_too_large' },
  415: { name: 'NotJson', description: 'Not JSON', example: 'unsupported_media_type' },
  422: { name: 'Invalid', description: 'A field is not as it should be', example: 'invalid_request' },
  429: {
    name: 'RateLimited',
    description: 'This key has called too often',
    example: 'rate_limited',
    header: ['Retry-After', 'Seconds'],
  },
  500: { name: 'Internal', description: 'Something went wrong here', example: 'internal' },
  503: {
    name: 'Unavailable',
    description: 'Something that is needed does not answer',
    example: 'dependency_unavailable',
    header: ['Retry-After', 'Seconds'],
  },
} as const satisfies Record<number, Refusal>;
export type RefusalStatus = keyof typeof refusals;

/** The answer as the document shows it. */
export function refusalResponse({ description, example, header }: Refusal) {
  return {
    description,
    ...(header === undefined
      ? {}
      : { headers: { [header[0]]: { description: header[1], schema: { type: 'string' as const } } } }),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        example: problemOf(new CountersignError(example), '5d1c0a52-5e42-4f2c-8a39-7e1c0d5e9b11'),
      },
    },
  };
}
